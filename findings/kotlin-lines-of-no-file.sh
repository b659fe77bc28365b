#!/usr/bin/env bash
# The Kotlin compiler 2.4.21 writes line numbers that belong to no file. It copies a class of kotlinx.coroutines into
# each caller of Flow.map. The copy names Emitters.kt as its source, and its SourceDebugExtension maps lines 1 to 51.
# But its method emit() begins at line 201: one less than the line in Main.kt that calls map. So whoever prints
# SourceFile:LineNumber, as stack traces do, names a line that Emitters.kt does not have. Needs Maven and a JDK.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > pom.xml <<'POM'
<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version><dependencies>
<dependency><groupId>org.jetbrains.kotlin</groupId><artifactId>kotlin-compiler-embeddable</artifactId><version>2.4.21</version></dependency>
<dependency><groupId>org.jetbrains.kotlinx</groupId><artifactId>kotlinx-coroutines-core-jvm</artifactId><version>1.9.0</version></dependency>
</dependencies></project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=jars
{ for _ in $(seq 199); do echo; done; echo 'suspend fun calls() = kotlinx.coroutines.flow.flowOf(1).let { it.mapped() }'; } > Main.kt
sed -i '1i import kotlinx.coroutines.flow.*' Main.kt
echo 'suspend fun Flow<Int>.mapped() = map { kotlinx.coroutines.yield(); it + 1 }.collect { println(it) }' >> Main.kt
java -cp 'jars/*' org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -nowarn -d out \
  -cp "$(ls jars/kotlin*-*.jar | tr '\n' ':')" Main.kt
class=$(cd out && ls | grep 'mapped.*map.*\$2\.class$')
javap -p -v -cp out "${class%.class}" > text
grep 'Compiled from' text
sed -n '/^SourceDebugExtension/,/\*E/p' text
sed -n '/ emit(/,/LocalVariableTable/p' text | grep '  line ' | head -3
grep -q 'Compiled from "Emitters.kt"' text
last=$(sed -n '/ emit(/,/LocalVariableTable/p' text | grep -o 'line [0-9]*' | grep -o '[0-9]*' | sort -n | uniq | tail -2 | tr '\n' ' ')
echo "largest lines: $last"
[ "$last" = "51 201 " ]
