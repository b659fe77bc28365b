package org.navitas.android;

import android.net.ConnectivityManager.NetworkCallback;
import android.net.LinkProperties;
import android.net.Network;
import android.net.NetworkCapabilities;
import android.net.NetworkInfo;
import android.net.NetworkRequest;
import android.os.Handler;
import android.os.HandlerThread;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowConnectivityManager;

/** The phone's network. Callbacks hear of it when they are registered, and when it changes. */
@Implements(className = "android.net.ConnectivityManager")
public class ConnectivityShadow extends ShadowConnectivityManager {
    private static final Map<NetworkCallback, Registered> CALLBACKS = new ConcurrentHashMap<>();

    /** A request, or null for the default network; where its callback runs; and the last network that it heard of. */
    private static final class Registered {
        final NetworkRequest request;
        final Handler handler;
        private NetworkOfPhone last;

        Registered(NetworkRequest request, Handler handler) {
            this.request = request;
            this.handler = handler;
        }

        synchronized void update(NetworkCallback callback) {
            NetworkOfPhone active = NetworkOfPhone.active();
            NetworkOfPhone now = active != null && accepts(active.capabilities()) ? active : null;
            NetworkOfPhone before = last;
            last = now;
            if (now == before) {
                return;
            }
            handler.post(() -> {
                if (before != null && CALLBACKS.containsKey(callback)) {
                    callback.onLost(before.network());
                }
                if (now != null && CALLBACKS.containsKey(callback)) {
                    callback.onAvailable(now.network());
                    callback.onCapabilitiesChanged(now.network(), now.capabilities());
                    callback.onLinkPropertiesChanged(now.network(), now.link());
                    callback.onBlockedStatusChanged(now.network(), false);
                }
            });
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

    private static void register(NetworkRequest request, NetworkCallback callback, Handler handler) {
        mayAsk();
        Registered registered = new Registered(request, handler == null ? CallbackThread.HANDLER : handler);
        if (CALLBACKS.putIfAbsent(callback, registered) != null) {
            throw new IllegalArgumentException("NetworkCallback was already registered");
        }
        registered.update(callback);
    }

    @Implementation
    @Override
    protected void registerNetworkCallback(NetworkRequest request, NetworkCallback callback, Handler handler) {
        register(request, callback, handler);
    }

    @Implementation
    @Override
    protected void requestNetwork(NetworkRequest request, NetworkCallback callback, Handler handler) {
        register(request, callback, handler);
    }

    @Implementation
    @Override
    protected void requestNetwork(NetworkRequest request, NetworkCallback callback, Handler handler, int timeoutMs) {
        register(request, callback, handler);
    }

    @Implementation
    @Override
    protected void registerBestMatchingNetworkCallback(NetworkRequest request, NetworkCallback callback, Handler handler) {
        register(request, callback, handler);
    }

    @Implementation
    @Override
    protected void registerDefaultNetworkCallback(NetworkCallback callback) {
        register(null, callback, null);
    }

    @Implementation
    @Override
    protected void registerDefaultNetworkCallback(NetworkCallback callback, Handler handler) {
        register(null, callback, handler);
    }

    @Implementation
    @Override
    protected void unregisterNetworkCallback(NetworkCallback callback) {
        if (callback == null || CALLBACKS.remove(callback) == null) {
            throw new IllegalArgumentException(callback == null ? "Invalid NetworkCallback" : "NetworkCallback was not registered");
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
        return Arrays.stream(NetworkOfPhone.values()).filter(each -> each.type == type).map(NetworkOfPhone::info).findAny().orElse(null);
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
        return active != null && active.isMetered();
    }
}
