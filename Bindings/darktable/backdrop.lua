-- Adds "Backdrop" to the target storages of darktable's export: developed pictures with another background, or none, beside the originals.
local darktable = require "darktable"

local PROGRAM = "@PREFIX@/bin/backdrop"
local background = darktable.new_widget("entry") {
  text = "none",
  tooltip = "none for transparency, blur, a colour such as #00A000, scene:dunes, or a file",
}

local function quoted(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

local function exists(path)
  local file = io.open(path)
  return file ~= nil and file:close()
end

-- A name that is free: darktable's own exports are never replaced.
local function free(stem)
  local path, count = stem .. ".png", 1
  while exists(path) do
    count = count + 1
    path = stem .. " " .. count .. ".png"
  end
  return path
end

local function store(_, image, _, file, number, total)
  local result = free(image.path .. "/" .. image.filename:gsub("%.[^.]*$", "") .. " new background")
  local errors = os.tmpname()
  darktable.print("Backdrop: " .. number .. " of " .. total)
  local status = darktable.control.execute(table.concat({
    quoted(PROGRAM), "replace", quoted(file), "--background", quoted(background.text), "-o", quoted(result), "--quiet 2>", quoted(errors),
  }, " "))
  if status == 0 then
    darktable.database.import(result):group_with(image)
  else
    for line in io.lines(errors) do
      darktable.print("Backdrop: " .. line)
      break
    end
  end
  os.remove(errors)
  os.remove(file)
end

darktable.register_storage("backdrop", "Backdrop", store, nil, nil, nil, background)
