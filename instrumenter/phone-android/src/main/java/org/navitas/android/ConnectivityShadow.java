package org.navitas.android;

import android.net.ConnectivityManager.NetworkCallback;
import android.net.LinkProperties;
import android.net.Network;
import android.net.NetworkCapabilities;
import android.net.NetworkInfo;
import android.net.NetworkRequest;
import android.os.Handler;
import android.os.HandlerThread;
import android.util.Log;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowConnectivityManager;

/** The phone's network. Callbacks hear of it when they are registered, and when it changes. */
@Implements(className = "android.net.ConnectivityManager")
public class ConnectivityShadow extends ShadowConnectivityManager {
    private static final String TAG = "ConnectivityManager";
    private static final String CHANGE = "android.permission.CHANGE_NETWORK_STATE";
    private static final String WRITE = "android.permission.WRITE_SETTINGS";
    private static final Map<NetworkCallback, Registered> CALLBACKS = new ConcurrentHashMap<>();
    private static final Set<NetworkCallback> UNREGISTERED =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** A request, or null for the default network; where its callback runs; and the last network that it heard of. */
    private static final class Registered {
        final NetworkRequest request;
        final Handler handler;
        private NetworkOfPhone last;
        private boolean wasAvailable;

        Registered(NetworkRequest request, Handler handler) {
            this.request = request;
            this.handler = handler;
        }

        synchronized void update(NetworkCallback callback) {
            NetworkOfPhone active = NetworkOfPhone.active();
            NetworkOfPhone now = active != null && accepts(active.capabilities()) ? active : null;
            NetworkOfPhone before = last;
            last = now;
            wasAvailable |= now != null;
            if (now == before) {
                return;
            }
            handler.post(() -> {
                if (before != null && CALLBACKS.get(callback) == this) {
                    callback.onLost(before.network());
                }
                if (now != null && CALLBACKS.get(callback) == this) {
                    callback.onAvailable(now.network());
                    callback.onCapabilitiesChanged(now.network(), now.capabilities());
                    callback.onLinkPropertiesChanged(now.network(), now.link());
                    callback.onBlockedStatusChanged(now.network(), false);
                }
            });
        }

        /** Ends a request that no network has met. */
        synchronized void giveUp(NetworkCallback callback) {
            if (!wasAvailable && CALLBACKS.remove(callback, this)) {
                UNREGISTERED.add(callback);
                callback.onUnavailable();
            }
        }

        private boolean accepts(NetworkCapabilities capabilities) {
            return request == null || request.canBeSatisfiedBy(capabilities);
        }
    }

    /** The thread of callbacks without a handler (AOSP: ConnectivityThread). */
    private static final class CallbackThread {
        static final Handler HANDLER = start();

        private static Handler start() {
            HandlerThread thread = new HandlerThread("ConnectivityThread");
            thread.setDaemon(true);
            thread.start();
            return new Handler(thread.getLooper());
        }
    }

    /** Calls callbacks after a change of the phone's network. */
    static void changed() {
        CALLBACKS.forEach((callback, registered) -> registered.update(callback));
    }

    private static void mayAsk() {
        Permissions.enforce("android.permission.ACCESS_NETWORK_STATE", "ConnectivityService");
    }

    private static Registered register(NetworkRequest request, NetworkCallback callback, Handler handler) {
        Registered registered = new Registered(request, handler == null ? CallbackThread.HANDLER : handler);
        if (CALLBACKS.put(callback, registered) != null) {
            Log.e(TAG, "NetworkCallback was already registered");
        }
        registered.update(callback);
        return registered;
    }

    private static void listen(NetworkRequest request, NetworkCallback callback, Handler handler) {
        mayAsk();
        register(request, callback, handler);
    }

    private static Registered request(NetworkRequest request, NetworkCallback callback, Handler handler) {
        if (!Permissions.isRequested(CHANGE) && !Permissions.isRequested(WRITE)) {
            throw new SecurityException(RuntimeEnvironment.getApplication().getPackageName()
                    + " was not granted either of these permissions:" + CHANGE + "," + WRITE + ".");
        }
        return register(request, callback, handler);
    }

    @Implementation
    @Override
    protected void registerNetworkCallback(NetworkRequest request, NetworkCallback callback) {
        listen(request, callback, null);
    }

    @Implementation
    @Override
    protected void registerNetworkCallback(NetworkRequest request, NetworkCallback callback, Handler handler) {
        listen(request, callback, handler);
    }

    @Implementation
    @Override
    protected void requestNetwork(NetworkRequest request, NetworkCallback callback) {
        request(request, callback, null);
    }

    @Implementation
    @Override
    protected void requestNetwork(NetworkRequest request, NetworkCallback callback, Handler handler) {
        request(request, callback, handler);
    }

    @Implementation
    @Override
    protected void requestNetwork(NetworkRequest request, NetworkCallback callback, int timeoutMs) {
        requestNetwork(request, callback, null, timeoutMs);
    }

    @Implementation
    @Override
    protected void requestNetwork(NetworkRequest request, NetworkCallback callback, Handler handler, int timeoutMs) {
        if (timeoutMs <= 0) {
            throw new IllegalArgumentException("timeoutMs must be strictly positive.");
        }
        Registered requested = request(request, callback, handler);
        requested.handler.postDelayed(() -> requested.giveUp(callback), timeoutMs);
    }

    @Implementation
    @Override
    protected void registerBestMatchingNetworkCallback(
            NetworkRequest request, NetworkCallback callback, Handler handler) {
        listen(request, callback, handler);
    }

    @Implementation
    @Override
    protected void registerDefaultNetworkCallback(NetworkCallback callback) {
        listen(null, callback, null);
    }

    @Implementation
    @Override
    protected void registerDefaultNetworkCallback(NetworkCallback callback, Handler handler) {
        listen(null, callback, handler);
    }

    @Implementation
    @Override
    protected void unregisterNetworkCallback(NetworkCallback callback) {
        if (callback == null) {
            throw new IllegalArgumentException("Invalid NetworkCallback");
        }
        if (CALLBACKS.remove(callback) != null) {
            UNREGISTERED.add(callback);
        } else if (UNREGISTERED.contains(callback)) {
            Log.d(TAG, "NetworkCallback was already unregistered");
        } else {
            throw new IllegalArgumentException("NetworkCallback was not registered");
        }
    }

    @Implementation
    @Override
    protected Network getActiveNetwork() {
        mayAsk();
        NetworkOfPhone active = NetworkOfPhone.active();
        return active == null ? null : active.network();
    }

    @Implementation
    @Override
    protected NetworkInfo getActiveNetworkInfo() {
        mayAsk();
        NetworkOfPhone active = NetworkOfPhone.active();
        return active == null ? null : active.info();
    }

    @Implementation
    @Override
    protected NetworkInfo getNetworkInfo(int type) {
        mayAsk();
        return Arrays.stream(NetworkOfPhone.values())
                .filter(each -> each.type == type)
                .map(NetworkOfPhone::info)
                .findAny()
                .orElse(null);
    }

    @Implementation
    @Override
    protected NetworkInfo getNetworkInfo(Network network) {
        mayAsk();
        NetworkOfPhone active = NetworkOfPhone.of(network);
        return active == null ? null : active.info();
    }

    @Implementation
    @Override
    protected NetworkInfo[] getAllNetworkInfo() {
        mayAsk();
        return Arrays.stream(NetworkOfPhone.values()).map(NetworkOfPhone::info).toArray(NetworkInfo[]::new);
    }

    @Implementation
    @Override
    protected Network[] getAllNetworks() {
        Network active = getActiveNetwork();
        return active == null ? new Network[0] : new Network[] {active};
    }

    @Implementation
    @Override
    protected NetworkCapabilities getNetworkCapabilities(Network network) {
        mayAsk();
        NetworkOfPhone active = NetworkOfPhone.of(network);
        return active == null ? null : active.capabilities();
    }

    @Implementation
    @Override
    protected LinkProperties getLinkProperties(Network network) {
        mayAsk();
        NetworkOfPhone active = NetworkOfPhone.of(network);
        return active == null ? null : active.link();
    }

    @Implementation
    @Override
    protected boolean isActiveNetworkMetered() {
        mayAsk();
        NetworkOfPhone active = NetworkOfPhone.active();
        return active == null || active.isMetered(); // the most cautious answer, as on a phone
    }
}
