package org.navitas.android;

import android.app.Service;
import android.content.ComponentName;
import android.content.Intent;
import android.content.ServiceConnection;
import android.content.pm.ResolveInfo;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ServiceController;

/** The app's services: created, started, bound and destroyed on the main thread, as Android's ActiveServices does. */
final class Services {
    private static final Map<ComponentName, Running> RUNNING = new HashMap<>();
    private static final Map<ServiceConnection, ComponentName> BOUND = new HashMap<>();

    private Services() {}

    private static final class Running {
        final ServiceController<? extends Service> controller;
        final Set<ServiceConnection> connections = new HashSet<>();
        /** What onBind returned, by intent; kept until the service ends. */
        final Map<Intent.FilterComparison, IBinder> binders = new HashMap<>();

        boolean wantsRebind;
        boolean isStarted;
        int starts;

        Running(ServiceController<? extends Service> controller) {
            this.controller = controller;
        }

        /** Calls onBind for the first client of an intent only, or onRebind if onUnbind has requested it. */
        IBinder bind(Intent intent) {
            Intent.FilterComparison filter = new Intent.FilterComparison(intent);
            if (!binders.containsKey(filter)) {
                binders.put(filter, controller.get().onBind(new Intent(intent)));
            } else if (wantsRebind && connections.size() == 1) {
                controller.get().onRebind(new Intent(intent));
            }
            return binders.get(filter);
        }
    }

    /** Starts a service; returns its name, or null if the app has none for the intent. */
    static ComponentName start(Intent intent) {
        ComponentName name = resolve(intent);
        if (name != null) {
            onMain(() -> {
                Running service = running(name);
                service.isStarted = true;
                service.controller
                        .get()
                        .onStartCommand(new Intent(intent), 0, ++service.starts); // a copy, as parcels are
            });
        }
        return name;
    }

    static boolean stop(Intent intent) {
        ComponentName name = resolve(intent);
        if (name != null) {
            onMain(() -> stopped(name));
        }
        return name != null;
    }

    /** Binds a service; without an executor, the connection is notified on the main thread. */
    static boolean bind(Intent intent, ServiceConnection connection, Executor executor) {
        ComponentName name = resolve(intent);
        if (name != null) {
            onMain(() -> {
                Running service = running(name);
                service.connections.add(connection);
                BOUND.put(connection, name);
                IBinder binder = service.bind(intent);
                Runnable notification = () -> {
                    if (binder == null) {
                        connection.onNullBinding(name);
                    } else {
                        connection.onServiceConnected(name, binder);
                    }
                };
                if (executor == null) {
                    notification.run();
                } else {
                    executor.execute(notification);
                }
            });
        }
        return name != null;
    }

    static boolean unbind(ServiceConnection connection) {
        boolean[] known = new boolean[1];
        PhoneInstrumentation.get().runOnMainSync(() -> {
            ComponentName name = BOUND.remove(connection);
            Running service = name == null ? null : RUNNING.get(name);
            known[0] = name != null;
            if (service != null && service.connections.remove(connection) && service.connections.isEmpty()) {
                service.wantsRebind = service.controller.get().onUnbind(new Intent().setComponent(name));
                destroyWhenUnused(name);
            }
        });
        return known[0];
    }

    private static void stopped(ComponentName name) {
        Running service = RUNNING.get(name);
        if (service != null) {
            service.isStarted = false;
            destroyWhenUnused(name);
        }
    }

    private static void destroyWhenUnused(ComponentName name) {
        Running service = RUNNING.get(name);
        if (service != null && !service.isStarted && service.connections.isEmpty()) {
            RUNNING.remove(name);
            service.controller.destroy();
        }
    }

    /** Stops a service that stops itself. */
    static void stopSelf(Service service, int startId) {
        ComponentName name = new ComponentName(service, service.getClass());
        onMain(() -> {
            Running running = RUNNING.get(name);
            if (running != null && (startId < 0 || startId == running.starts)) {
                stopped(name);
            }
        });
    }

    /** Returns the instance of a service, for a client that keeps it until {@link #release}. For the main thread only. */
    static Service hold(ComponentName name, ServiceConnection client) {
        Running service = running(name);
        service.connections.add(client);
        return service.controller.get();
    }

    /** Ends the use of a service, and the service if nothing else uses it. For the main thread only. */
    static void release(ComponentName name, ServiceConnection client) {
        Running service = RUNNING.get(name);
        if (service != null && service.connections.remove(client)) {
            destroyWhenUnused(name);
        }
    }

    private static Running running(ComponentName name) {
        Running service = RUNNING.get(name);
        if (service == null) {
            try {
                Class<? extends Service> type =
                        Class.forName(name.getClassName()).asSubclass(Service.class);
                service = new Running(Robolectric.buildService(type, new Intent().setComponent(name)));
            } catch (ClassNotFoundException e) {
                throw new RuntimeException("Unable to instantiate service " + name.getClassName(), e);
            }
            RUNNING.put(name, service);
            service.controller.create();
        }
        return service;
    }

    private static ComponentName resolve(Intent intent) {
        ResolveInfo found =
                RuntimeEnvironment.getApplication().getPackageManager().resolveService(intent, 0);
        if (found == null || found.serviceInfo == null) {
            return null;
        }
        String appPackage = RuntimeEnvironment.getApplication().getPackageName();
        return appPackage.equals(found.serviceInfo.packageName)
                ? new ComponentName(appPackage, found.serviceInfo.name)
                : null;
    }

    /** Always posts the action, since a phone answers by a separate binder call. */
    private static void onMain(Runnable action) {
        new Handler(Looper.getMainLooper()).post(action);
    }
}
