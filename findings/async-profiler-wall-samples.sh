#!/usr/bin/env bash
# async-profiler 2.9, told to profile wall time, writes jdk.ExecutionSample: the event by which a JDK and async-profiler itself,
# told to profile CPU time, show where CPU time goes. So a thread asleep has samples as a busy one has, and only the field
# `state` tells them apart. Version 4.0 does not do so. Needs Linux, a JDK 17 and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
case $(uname -m) in x86_64) machine=linux-x64 ;; aarch64) machine=linux-arm64 ;; *) exit 2 ;; esac
echo 'public class Sleeps { public static void main(String[] words) throws Exception { Thread.sleep(2000); } }' >Sleeps.java
javac Sleeps.java
for version in 2.9 4.0; do
  mvn -q -B dependency:copy -Dartifact="tools.profiler:async-profiler:$version" -DoutputDirectory=.
  mkdir "$version"
  (cd "$version" && jar xf "../async-profiler-$version.jar" "$machine/libasyncProfiler.so")
  library=$PWD/$version/$machine/libasyncProfiler.so
  java -agentpath:"$library=start,event=wall,interval=20ms,threads,jfr,file=$version.jfr" Sleeps
  jfr print --events jdk.ExecutionSample "$version.jfr" >"$version.txt"
  echo "async-profiler $version: $(grep -c STATE_SLEEPING "$version.txt" || true) of $(grep -c '^jdk.ExecutionSample' "$version.txt" || true)" \
    "jdk.ExecutionSample show a thread asleep"
done
[ "$(grep -c STATE_SLEEPING 2.9.txt)" -gt 50 ] && ! grep -q STATE_SLEEPING 4.0.txt
