# Sourced by test-packages.sh and sid.sh, which run commands in another Debian. Sets settings: pip's and git's settings and the proxies from
# outside, as variables. `certificates` is the file of pip's certificates, if there is one, and belongs at /etc/test-certificates.
settings=()
certificates=
while IFS='=' read -r name value; do
  value=${value#\'} value=${value%\'}
  name=PIP_$(tr a-z- A-Z_ <<<"${name##*.}")
  case "$name" in
    PIP_CERT)
      certificates=$value
      value=/etc/test-certificates ;;
    # Files are copied, folders of wheels are not.
    PIP_FIND_LINKS) continue ;;
  esac
  settings+=("$name=$value")
done < <(python3 -I -m pip config list 2>/dev/null)
while IFS= read -r name; do settings+=("$name=${!name}"); done < <(compgen -e | grep -i -E '^(https?|no)_proxy$')

# Lets programs for arm64 run by themselves: the kernel keeps the emulator open, so no root needs to contain it.
emulate_arm64() {
  if [ "$(uname -m)" = aarch64 ] || [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then return; fi
  mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  update-binfmts --enable qemu-aarch64
}

# inside ROOT USER COMMAND: runs a command in the system, with the machine's /dev, /proc and /sys mounted meanwhile (OpenVINO needs them), and the folders in `binds`,
# PLACE=FOLDER, which must exist in there.
binds=()
inside() {
  local root=$1 user=$2 home=/root mounts=
  if [ "$user" != root ]; then home=/home/$user; fi
  for one in ${binds+"${binds[@]}"}; do mounts+=" && mount --bind $(printf '%q %q' "${one#*=}" "$root${one%%=*}")"; done
  unshare --mount --pid --fork --kill-child sh -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys"'"$mounts"' && cd / && shift && exec "$@"' sh "$root" \
    chroot --userspec="$user:$user" "$root" env -i HOME="$home" USER="$user" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH="$home/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "${settings[@]}" \
    bash -euc "cd; $3"
}
