#!/usr/bin/env bash
# Robolectric 4.16.1 cannot construct an android.net.NetworkInfo with its public constructor (Android 10): it throws a
# NullPointerException. Its shadow of the class removes the static initializer, which fills the map that the constructor
# needs. The same call works on a phone. Needs Maven and a JDK 17.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > pom.xml <<'POM'
<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version><dependencies>
<dependency><groupId>org.robolectric</groupId><artifactId>robolectric</artifactId><version>4.16.1</version></dependency>
<dependency><groupId>org.robolectric</groupId><artifactId>android-all-instrumented</artifactId><version>13-robolectric-9030017-i7</version></dependency>
<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version></dependency>
</dependencies></project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=jars
for library in jars/*.aar; do unzip -p "$library" classes.jar > "${library%.aar}.jar"; done
cat > InfoTest.java <<'JAVA'
import android.net.NetworkInfo;
@org.junit.runner.RunWith(org.robolectric.RobolectricTestRunner.class)
@org.robolectric.annotation.Config(sdk = 33, manifest = org.robolectric.annotation.Config.NONE)
public class InfoTest {
    @org.junit.Test public void connected() {
        NetworkInfo info = new NetworkInfo(android.net.ConnectivityManager.TYPE_WIFI, 0, "WIFI", "");
        org.junit.Assert.assertEquals("WIFI", info.getTypeName());
    }
}
JAVA
android=$(ls jars/android-all-instrumented-*.jar)
libraries=$(ls jars/*.jar | grep -v android-all | tr '\n' ':')
javac -nowarn -cp "$libraries$android" InfoTest.java
java -Drobolectric.offline=true -Drobolectric.dependency.dir=jars -Drobolectric.enabledSdks=33 -cp "$libraries.:$android" \
  org.junit.runner.JUnitCore InfoTest > text 2>&1 || true
ls jars/robolectric-*.jar
grep -m 3 'NullPointerException\|NetworkInfo.<init>\|Failures' text
grep -q 'NullPointerException: .*NetworkInfo.stateMap" is null' text
