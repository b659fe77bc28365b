#!/usr/bin/env bash
# fsspec 2026.9.0 on HDFS (Hadoop 3.4.1, through webhdfs://) does not see two refusals. If the user may not list a folder,
# find() leaves out what is in it, also with on_error="raise": that counts for the top folder only. If the new name is taken,
# mv() returns as usual, and nothing was renamed. Needs Python 3.10, Maven and a JDK.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $server 2> /dev/null || true; rm -rf "$folder"' EXIT
server=
cd "$folder"
cat > pom.xml <<'POM'
<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.hadoop</groupId><artifactId>hadoop-client-minicluster</artifactId><version>3.4.1</version></dependency>
<dependency><groupId>org.apache.hadoop</groupId><artifactId>hadoop-client-api</artifactId><version>3.4.1</version></dependency>
<dependency><groupId>javax.xml.bind</groupId><artifactId>jaxb-api</artifactId><version>2.3.1</version></dependency>
<dependency><groupId>org.mockito</groupId><artifactId>mockito-core</artifactId><version>2.28.2</version></dependency>
<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version></dependency>
</dependencies></project>
POM
mvn -q -B dependency:copy-dependencies -DoutputDirectory=jars
cat > Server.java <<'JAVA'
import org.apache.hadoop.hdfs.MiniDFSCluster;

class Server {
    public static void main(String[] arguments) throws Exception {
        var settings = new org.apache.hadoop.conf.Configuration();
        var cluster = new MiniDFSCluster.Builder(settings, new java.io.File("data")).build();
        cluster.waitActive();
        var port = String.valueOf(cluster.getNameNode().getHttpAddress().getPort());
        java.nio.file.Files.writeString(java.nio.file.Path.of("port.new"), port);
        new java.io.File("port.new").renameTo(new java.io.File("port"));
    }
}
JAVA
java -cp 'jars/*' Server.java > log 2>&1 &
server=$!
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check fsspec==2026.9.0 requests==2.34.2
until [ -e port ]; do kill -0 $server; sleep 1; done
venv/bin/python - <<'PYTHON'
import getpass
import pathlib

import fsspec

port = int(pathlib.Path("port").read_text())
owner, other = (fsspec.filesystem("webhdfs", host="127.0.0.1", port=port, user=user) for user in (getpass.getuser(), "other"))
for name in ("/top/a", "/top/sub/private/b", "/top/c"):
    owner.pipe_file(name, name.encode() * 200)
owner.chmod("/top/sub/private", 700)
found = other.find("/top", on_error="raise")
print("find, as a user who may not list /top/sub/private:", found)
assert found == ["/top/a", "/top/c"]
owner.mv("/top/a", "/top/c")
print("after mv a c:", owner.find("/top"))
assert owner.cat_file("/top/c").startswith(b"/top/c") and owner.exists("/top/a")
PYTHON
