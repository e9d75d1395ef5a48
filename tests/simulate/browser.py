# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium, controlled through a pipe (Chrome DevTools Protocol): pages of any width, light and dark, with
and without script, with real keys and wheel events. A context manager; its `path` is None if there is no Chromium."""
import json
import os
import shutil
import subprocess
import tempfile
import base64


class Browser:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.came, from_write = os.pipe()

        def pipes(): # Chromium reads commands from descriptor 3 and answers on 4
            os.dup2(to_read, 1000)
            os.dup2(from_write, 1001)
            os.dup2(1000, 3)
            os.dup2(1001, 4)

        self.process = subprocess.Popen(
            [self.path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
             "--user-data-dir=" + self.folder], preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number, self.rest, self.events = 0, b"", []
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.came)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.came, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        text = json.dumps(command).encode() + b"\0"
        while text:
            text = text[os.write(self.to, text):]
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError("%s: %s" % (method, got["error"]))
                return got["result"]
            self.events.append(got.get("method"))

    def open(self, path, width=1100, height=900, dark=False, script=True, media=""):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Emulation.setScriptExecutionDisabled", value=not script)
        self.events.clear()
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.message().get("method"))

    def run(self, expression):
        got = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(json.dumps(got["exceptionDetails"])[:600])
        return got["result"].get("value")

    def key(self, key, text=""):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, **({"text": text} if text and kind == "keyDown" else {}))

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def picture(self, path, whole=True):
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))


# for Browser.run(): the least contrast (WCAG 2.1) of visible text, with its words
CONTRAST = """(() => {
    const colour = text => { const c = text.match(/[0-9.]+/g).map(Number); return {rgb: c.slice(0, 3), a: c.length > 3 ? c[3] : 1}; };
    const light = rgb => { const [r, g, b] = rgb.map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
                           return .2126 * r + .7152 * g + .0722 * b; };
    const behind = e => { for (; e; e = e.parentElement) { const c = colour(getComputedStyle(e).backgroundColor); if (c.a === 1) return c.rgb; }
                          return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255]; };
    let least = [99, ""], n = 0;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let t = walk.nextNode(); t; t = walk.nextNode()) {
        const e = t.parentElement, style = getComputedStyle(e);
        if (!t.textContent.trim() || !e.getClientRects().length || style.visibility === "hidden" || e.closest("script, style, title, desc")) continue;
        const ink = colour(e.closest("svg") ? style.fill : style.color);
        const [a, b] = [light(ink.rgb), light(behind(e))].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
        n++;
        if (ratio < least[0]) least = [ratio, t.textContent.trim().slice(0, 60)];
    }
    return [...least, n];
})()"""
