# SPDX-License-Identifier: GPL-3.0-or-later
# Lines of page.html as C strings; "@include NAME" is the file of that name in `folder`.
function put(line) {
    gsub(/\\/, "\\\\", line)
    gsub(/"/, "\\\"", line)
    printf "\"%s\\n\",\n", line
}
$1 == "@include" {
    file = folder "/" $2
    while ((status = (getline line < file)) > 0)
        put(line)
    if (status < 0)
        exit 1
    close(file)
    next
}
{ put($0) }
