#!/bin/sh
# Build a Kubernetes release from Debian's source package, in the shape of the official archives, and print its path.
#
#   kubernetes-server-linux-amd64.tar.gz   kubernetes/server/bin/{kubelet,kube-*,kubectl}
#   kubernetes-test-linux-amd64.tar.gz     kubernetes/test/bin/{e2e.test,ginkgo,agnhost}    (with the argument `test`)
#
# A plain `go build ./cmd/...` does not work: the package's go.mod differs from vendor/, and only Kubernetes' own make
# generates the deepcopy, conversion and openapi code. So the tree is linked into a GOPATH and its make is used.
#
# One vendored library is replaced: reflect2 1.0.1 calls a function of Go's runtime whose signature changed in Go 1.18, so
# that every program built with Debian's Go 1.19 crashes ("unexpected fault address", in json-iterator's encoding of a map) at a
# random moment. Debian's own package has 1.0.2, where that is mended.
#
# The node's programs are built without the Docker client and the in-tree cloud providers, by Kubernetes' own tags `dockerless`
# and `providerless`: neither can be used on a Keelson node (containerd is the runtime; clouds are reached by CSI and external
# cloud controllers), and a kubelet with the first asks for Docker five times, a second apart, each time it starts.
#
# usage: build_kubernetes.sh server|test
set -eu

part=${1:?usage: build_kubernetes.sh server|test}
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/keelson
key=$({ grep -v '^#' "$here/build_kubernetes.sh"; grep -E '^(kubernetes|golang-)' "$here/versions"; } | sha256sum | cut -c1-16)
out=$cache/kubernetes/$key
archive=$out/kubernetes-$part-linux-amd64.tar.gz

if [ -f "$archive" ]; then
	echo "$archive"
	exit 0
fi
mkdir -p "$out"
exec 9>"$out/lock"
flock 9
if [ -f "$archive" ]; then
	echo "$archive"
	exit 0
fi

# A short fixed path: the build's paths must not differ between two machines.
work=/var/tmp/keelson-kubernetes-$key
if [ ! -f "$work/unpacked" ]; then
	rm -rf "$work"
	echo "kubernetes: fetching the source package" >&2
	"$here/fetch_source.sh" kubernetes "$work/source" >"$work.found"
	"$here/fetch_source.sh" golang-github-modern-go-reflect2 "$work/reflect2" >"$work/reflect2.found"
	read -r debian_version tree <"$work.found"
	read -r reflect2_version reflect2 <"$work/reflect2.found"
	echo "kubernetes: vendored reflect2 replaced by $reflect2_version" >&2
	rm -rf "$tree/vendor/github.com/modern-go/reflect2"
	cp -R "$reflect2" "$tree/vendor/github.com/modern-go/reflect2"
	mv "$work.found" "$work/unpacked"
fi
read -r debian_version tree <"$work/unpacked"
version=v$(echo "$debian_version" | sed 's/.*really//; s/-[^-]*$//')

export GOPATH="$tree/.go" GOPROXY=off GO111MODULE=off CGO_ENABLED=0 HOME="$work"
export PATH="/usr/lib/go/bin:$PATH"
export KUBE_GIT_VERSION="$version" KUBE_GIT_TREE_STATE=clean KUBE_GIT_COMMIT=0000000000000000000000000000000000000000
export KUBE_GIT_MAJOR="$(echo "$version" | sed 's/^v\([0-9]*\).*/\1/')" KUBE_GIT_MINOR="$(echo "$version" | cut -d. -f2)"
export SOURCE_DATE_EPOCH="$(dpkg-parsechangelog -l "$tree/debian/changelog" -S Timestamp)"
export XDG_CACHE_HOME="$work/.cache"
mkdir -p "$GOPATH/src/k8s.io"
[ -e "$GOPATH/src/k8s.io/kubernetes" ] || ln -s "$tree" "$GOPATH/src/k8s.io/kubernetes"

case $part in
server)
	export GOFLAGS="-trimpath -tags=dockerless,providerless"
	targets="cmd/kubelet cmd/kube-apiserver cmd/kube-controller-manager cmd/kube-scheduler cmd/kube-proxy cmd/kubectl"
	;;
test)
	export GOFLAGS=-trimpath
	targets="test/e2e/e2e.test vendor/github.com/onsi/ginkgo/ginkgo test/images/agnhost"
	;;
*) echo "kubernetes: expected server or test, found $part" >&2; exit 2 ;;
esac
echo "kubernetes: building $part $version, about 20 minutes on two cores: $targets" >&2
(cd "$GOPATH/src/k8s.io/kubernetes" && make WHAT="$targets" >"$out/build-$part.log" 2>&1) || {
	tail -n 20 "$out/build-$part.log" >&2
	echo "kubernetes: build failed: the whole log is $out/build-$part.log" >&2
	exit 1
}

stage=$work/stage-$part
rm -rf "$stage"
bin=$stage/kubernetes/$part/bin
mkdir -p "$bin"
for t in $targets; do
	built=$(find "$tree/_output/local/bin/linux/amd64" "$tree/_output/local/go/bin" "$GOPATH/bin" -name "$(basename "$t")" -type f 2>/dev/null | head -n 1)
	[ -n "$built" ] || { echo "kubernetes: expected a program $t, found none in $tree/_output" >&2; exit 1; }
	install -m 0755 "$built" "$bin/"
done
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - kubernetes |
	gzip -n -3 >"$archive.new"
mv "$archive.new" "$archive"
rm -rf "$stage"
echo "$archive"
