"""The tests of tests/unit/virtual_phone/test_shell_posix.py that start processes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from phone_harness import shell
from test_shell_posix import SH

pytestmark = pytest.mark.skipif(SH is None, reason="this machine has no POSIX shell to compare with")


SCRIPTS = r"""
echo a   b "c  d" 'e  f'
echo "a'b" 'a"b' a\ b \$x "\$x"
x=5; echo $x ${x} "${x}y" ${y:-def} ${y-d2} "${y:+alt}" ${x:+alt} ${#x}
x=a.b.c; echo ${x%.*} ${x%%.*} ${x#*.} ${x##*.} ${x%z}
echo $((1+2*3)) $(( (1+2)*3 )) $((7/2)) $((-7/2)) $((7%3)) $((-7%3)) $((1<<4)) $((5>3)) $((!0)) $((~5)) $((0x10))
x=3; echo $((x+1)) $(($x*2)) $((1 > 2 || 3 < 4))
true && echo yes || echo no; false && echo yes || echo no
! true; echo $?; ! false; echo $?
(exit 3); echo $?
for i in a b; do for j in 1 2; do echo $i$j; [ $j = 1 ] && continue 2; done; done
i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i = 3 ] && continue; [ $i = 5 ] && break; echo $i; done
until false; do echo once; break; done
if [ a = b ]; then echo 1; elif [ a = a ]; then echo 2; else echo 3; fi
case abc in a*) echo star;; *) echo other;; esac
case x in a|b) echo ab;; (x|y) echo xy;; esac
case "a*" in "a*") echo quoted;; esac; case ab in "a*") echo wrong;; esac
x=abc; case $x in ?[a-c]?) echo m;; esac; case $x in [!a]*) echo no;; *) echo yes;; esac
f() { echo "f $1 $#"; return 4; }; f a b; echo $?
f() { x=2; }; x=1; f; echo $x
f() { local v=1; echo $v; }; v=0; f; echo $v
x=1; (x=2; echo $x); echo $x
echo $(echo a; echo b) "$(echo a; echo b)" `echo back` "`echo b2`" $(echo $(echo nested))
echo "$(printf 'a\n\n\n')"x
echo a | cat | cat
echo a > f; cat f; echo b >> f; cat f; cat < f
{ echo 1; echo 2; } > g; cat g
(echo sub; echo e >&2) 2>&1 | cat
echo hidden 2>/dev/null >&2; echo shown
touch a1 a2 b1; echo a* *1 z*; echo "a*" 'a*' a\*; echo [ab]1 [!a]1 a?
mkdir d; touch d/x d/y d/.z; echo d/*; echo */x; cd d; echo * .z*; pwd | tail -c 3
set -- 1 2 3; shift 2; echo $1
set -- a "b c" d; echo $# $1 "$2"; for x in "$@"; do echo "[$x]"; done; for x in $@; do echo "[$x]"; done; echo "$*"
x="a b  c"; echo $x; echo "$x"; for w in $x; do echo "<$w>"; done
IFS=:; x=a:b:c; for w in $x; do echo "<$w>"; done
echo a b c | while read x y; do echo "$y $x"; done
seq 3 | { read a; echo $a; cat; }
printf '%s-%d\n' a 1 b 2; printf '%5s|%-5s|%x|%05d\n' a b 255 15; printf '%c%%\n' abc
[ -n "" ]; echo $?; [ -z "" ]; echo $?; [ 1 -eq 1 -a 2 -gt 1 ]; echo $?; [ ! -e nofile ]; echo $?; [ "a b" = "a b" ]; echo $?
x=; echo "[${x-unset}]" "[${x:-empty}]"; unset x; echo "[${x-unset}]"
: ${z:=assigned}; echo $z
exit 7
echo before; exit; echo after
set -e; true; false; echo no
set -e; if false; then :; fi; false || true; echo ok; false; echo no
eval 'echo $((1+1))'; x='echo hi'; $x
echo a; # comment
echo a#b "#c" # d
echo 'multi
line' "x
y"
sh -c 'echo $0 $1' name arg; sh -c 'exit 5'; echo $?
x=1 sh -c 'echo $x'; echo "[$x]"; export y=2; sh -c 'echo $y'
true | false; echo $?; false | true; echo $?
x=$(false); echo $?; x=$(true); echo $?
if true; then echo t; fi > o; cat o
(sleep 0.05; echo bg) & wait; echo done
a=1 b=$a; echo $b; x=${x}b; x="$x"c; echo $x
for x; do echo no; done; echo end; false; for i in; do :; done; echo $?
return 3; echo after
f() { for i in 1 2; do return 9; done; }; f; echo $?
printf 'b\na\nc\na\n' | sort -u; printf '10\n9\n' | sort -n; printf 'b\na\n' | sort -r
printf 'abc\nxyz\n' | grep -c b; printf 'abc\nxyz\n' | grep -v b; printf 'abc\n' | grep -q z; echo $?
printf 'a\nb\nc\n' | tail -n 1; printf 'a\nb\nc\n' | tail -n +2; printf 'a\nb\nc\n' | head -n 2; printf 'abc' | head -c 2
echo hello | base64; echo aGVsbG8K | base64 -d
printf abc | md5sum; printf abc | sha256sum
mkdir -p p/q/r; ls p/q; rm -r p; ls p 2>/dev/null || echo gone
"""


def split() -> list[str]:
    """Split `SCRIPTS` into scripts: one per line, or several lines if quotes span them."""
    scripts: list[str] = []
    text = ""
    for line in SCRIPTS.strip("\n").split("\n"):
        text = f"{text}\n{line}" if text else line
        if (text.count('"') % 2 == 0 and text.count("'") % 2 == 0) or "a'b" in text:
            scripts.append(text)
            text = ""
    return scripts


def reference(script: str, folder: Path) -> tuple[int, bytes]:
    assert SH is not None
    folder.mkdir()
    done = subprocess.run([SH, "-c", script], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("script", split())
def test_output_and_status_equal_the_reference_shell(script: str, tmp_path: Path) -> None:
    found = shell(tmp_path / "phone", f"cd /data/local/tmp; {script}")
    assert (found.status, found.stdout) == reference(script, tmp_path / "reference"), found.stderr
