package org.example.storage;

import android.content.Context;
import android.hardware.camera2.CameraAccessException;
import android.hardware.camera2.CameraDevice;
import android.hardware.camera2.CameraManager;
import android.location.Location;
import android.location.LocationListener;
import android.location.LocationManager;
import android.os.Bundle;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.Looper;
import android.os.SystemClock;
import java.util.List;
import java.util.Vector;
import java.util.concurrent.SynchronousQueue;

/** Uses of devices. Each method is one row of the results. */
public final class Devices {
  final List<String> log = new Vector<>();
  private final LocationManager locations;
  private final CameraManager cameras;
  private final Handler handler;

  public Devices(Context app) {
    locations = (LocationManager) app.getSystemService(Context.LOCATION_SERVICE);
    cameras = (CameraManager) app.getSystemService(Context.CAMERA_SERVICE);
    HandlerThread thread = new HandlerThread("callbacks");
    thread.start();
    handler = new Handler(thread.getLooper());
  }

  public void findPlace(int ms) {
    locate("findPlace", ms);
  }

  public void trackRoute(int ms) {
    locate("trackRoute", ms);
  }

  public void takePicture(int ms) throws Exception {
    film("takePicture", ms);
  }

  public void scanCode(int ms) throws Exception {
    film("scanCode", ms);
  }

  public void findKeys(int ms) throws Exception {
    light("findKeys", ms);
  }

  public void signal(int ms) throws Exception {
    light("signal", ms);
  }

  public void rest(int ms) {
    SystemClock.sleep(ms);
  }

  private void locate(String method, int ms) {
    LocationListener listener =
        new LocationListener() {
          @Override public void onLocationChanged(Location location) {}

          @Override public void onStatusChanged(String provider, int status, Bundle extras) {}

          @Override public void onProviderEnabled(String provider) {}

          @Override public void onProviderDisabled(String provider) {}
        };
    long start = System.nanoTime();
    locations.requestLocationUpdates("gps", 0L, 0f, listener, Looper.getMainLooper());
    SystemClock.sleep(ms);
    locations.removeUpdates(listener);
    log.add("gnss " + method + " " + start + " " + System.nanoTime());
  }

  private void film(String method, int ms) throws Exception {
    SynchronousQueue<CameraDevice> opened = new SynchronousQueue<>();
    long start = System.nanoTime();
    cameras.openCamera(
        cameras.getCameraIdList()[0],
        new CameraDevice.StateCallback() {
          @Override
          public void onOpened(CameraDevice camera) {
            try {
              opened.put(camera);
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override public void onDisconnected(CameraDevice camera) {}

          @Override public void onError(CameraDevice camera, int error) {}
        },
        handler);
    CameraDevice camera = opened.take();
    SystemClock.sleep(ms);
    camera.close();
    log.add("camera " + method + " " + start + " " + System.nanoTime());
  }

  private void light(String method, int ms) throws CameraAccessException {
    long start = System.nanoTime();
    cameras.setTorchMode("0", true);
    SystemClock.sleep(ms);
    cameras.setTorchMode("0", false);
    log.add("flashlight " + method + " " + start + " " + System.nanoTime());
  }
}
