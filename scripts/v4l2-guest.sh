#!/usr/bin/env bash
# Runs a program as root in a virtual machine with Debian's kernel, whose modules vivid (a test camera) and v4l2loopback create real video
# devices: scripts/v4l2-guest.sh COMMAND [ARGUMENT...]. The machine sees this computer's files, and may change only those in the folder
# SHARE (named by the environment; a fresh one by default), which is called /share in it. Needs no root privileges; packages by apt are
# fetched and unpacked into CACHE, not installed.
set -euo pipefail

cache="${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/backdrop-v4l2}"
share="${SHARE:-$(mktemp -d)}"
limit="${LIMIT:-600}"

for program in qemu-system-x86_64 make gcc cpio depmod modprobe dpkg-deb busybox; do
  if ! PATH="$PATH:/sbin:/usr/sbin" command -v "$program" >/dev/null; then
    echo "error: $program is missing" >&2
    echo "hint: run: scripts/setup.sh v4l2" >&2
    exit 2
  fi
done
export PATH="$PATH:/sbin:/usr/sbin"

mkdir -p "$cache"
cache="$(cd "$cache" && pwd)"
version="$(cksum <"$0")"
if [ "$(cat "$cache/ready" 2>/dev/null)" != "$version" ]; then
  kernel="$(apt-cache depends linux-image-amd64 | sed -n 's/^  Depends: linux-image-//p' | head -n 1)"
  if [ -z "$kernel" ]; then
    echo "error: apt knows no package linux-image-amd64" >&2
    exit 2
  fi
  echo "== fetching and unpacking the kernel $kernel" >&2
  rm -rf "$cache"/{debs,root,initrd,ready}
  mkdir -p "$cache"/{debs,root}
  headers="linux-headers-$kernel"
  tools="$(apt-cache depends "$headers" | awk '/Depends: linux-(headers-.*-common|kbuild)/ { print $2 }')"
  # shellcheck disable=SC2086 # several names
  (cd "$cache/debs" && apt-get -qq download "linux-image-$kernel" "$headers" $tools v4l2loopback-dkms 2>/dev/null)
  for package in "$cache"/debs/*.deb; do dpkg-deb -x "$package" "$cache/root"; done
  rm -rf "$cache/debs"
  echo "== building v4l2loopback" >&2
  sources=("$cache"/root/usr/src/v4l2loopback-*)
  sed -i "s|include /usr/src/|include $cache/root/usr/src/|" "$cache/root/usr/src/$headers/Makefile"
  # The second and third device are on one bus, like the two nodes of a camera with depth.
  sed -i 's/"platform:v4l2loopback-%03d", devnr)/"platform:v4l2loopback-%03d", (devnr + 1) \/ 2)/' "${sources[0]}/v4l2loopback.c"
  make -s -C "$cache/root/usr/src/$headers" M="${sources[0]}" modules >"$cache/build.log" 2>&1
  modules="$cache/root/lib/modules/$kernel"
  mkdir -p "$modules/extra"
  cp "${sources[0]}/v4l2loopback.ko" "$modules/extra/"
  depmod -b "$cache/root" "$kernel"

  echo "== making its first files" >&2
  initrd="$cache/initrd"
  mkdir -p "$initrd"/{bin,modules,proc,sys,dev,lower,upper,new}
  cp "$(command -v busybox)" "$initrd/bin/busybox"
  number=100
  : >"$initrd/modules/list"
  modprobe -d "$cache/root" -S "$kernel" --show-depends -a virtio_pci 9pnet_virtio 9p overlay vivid v4l2loopback |
    awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
    while read -r module; do
      number=$((number + 1))
      name="$(basename "$module" .ko)"
      cp "$module" "$initrd/modules/$number-$name.ko"
      echo "$number-$name.ko $name" >>"$initrd/modules/list"
    done
  cat >"$initrd/init" <<'INIT'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs dev /dev
while read -r file name; do
  case "$name" in
    # One node with one input, a webcam; a clock makes each picture different.
    vivid) options="n_devs=1 node_types=0x1 input_types=0x0" ;;
    v4l2loopback) options="devices=3 video_nr=10,20,21 card_label=Backdrop,Colours,Depth exclusive_caps=1,1,1" ;;
    *) options="" ;;
  esac
  $b insmod "/modules/$file" $options || echo "no module $name"
done </modules/list
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=524288 root /lower || echo "no root"
$b mount -t tmpfs tmpfs /upper
$b mkdir /upper/changes /upper/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/upper/changes,workdir=/upper/work overlay /new
for place in proc sys dev; do $b mount --move /$place /new/$place; done
$b mount -t tmpfs tmpfs /new/tmp
$b mkdir -p /new/share /new/dev/shm
$b mount -t tmpfs tmpfs /new/dev/shm
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288 share /new/share
$b ip link set lo up 2>/dev/null
$b chroot /new /bin/bash /share/.job </dev/null >/new/share/.output 2>&1
echo $? >/new/share/.status
$b sync
$b poweroff -f
INIT
  chmod +x "$initrd/init"
  (cd "$initrd" && find . | cpio --quiet -o -H newc | gzip -1 >"$cache/initrd.gz")
  cp "$cache/root/boot/vmlinuz-$kernel" "$cache/vmlinuz"
  echo "$version" >"$cache/ready"
fi

# The build folder of the command has the same path inside.
{
  echo "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp"
  printf 'cd %q\n' "$PWD"
  for name in ${PASSED:-}; do printf 'export %s=%q\n' "$name" "${!name}"; done
  printf 'exec'
  printf ' %q' "$@"
  echo
} >"$share/.job"
rm -f "$share/.status" "$share/.output"
timeout -k 5 "$limit" qemu-system-x86_64 -machine q35 -cpu max -smp 2 -m 2048 -display none -monitor none \
  -serial "file:$share/.console" -no-reboot -nic none -kernel "$cache/vmlinuz" -initrd "$cache/initrd.gz" \
  -append "console=ttyS0 quiet panic=-1" \
  -virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap \
  -virtfs "local,path=$share,mount_tag=share,security_model=none" >&2 || echo "the machine was stopped after $limit s" >&2
cat "$share/.output" 2>/dev/null || true
if [ ! -e "$share/.status" ]; then
  echo "error: the machine did not finish; its console says:" >&2
  tail -n 20 "$share/.console" >&2 || true
  exit 2
fi
exit "$(cat "$share/.status")"
