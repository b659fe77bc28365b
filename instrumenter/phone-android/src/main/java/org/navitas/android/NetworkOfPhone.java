package org.navitas.android;

import android.net.ConnectivityManager;
import android.net.LinkProperties;
import android.net.Network;
import android.net.NetworkCapabilities;
import android.net.NetworkInfo;
import org.navitas.phone.PhoneState;
import org.robolectric.shadows.ShadowNetwork;
import org.robolectric.shadows.ShadowNetworkInfo;
import org.robolectric.util.ReflectionHelpers;

/** The phone's networks. The one that is the route to other hosts is connected; {@code dumpsys connectivity} shows its number. */
enum NetworkOfPhone {
    WIFI("wlan0", 100, ConnectivityManager.TYPE_WIFI, NetworkCapabilities.TRANSPORT_WIFI),
    MOBILE("rmnet0", 101, ConnectivityManager.TYPE_MOBILE, NetworkCapabilities.TRANSPORT_CELLULAR);

    /** NetworkCapabilities.NET_CAPABILITY_NOT_VCN_MANAGED, which is hidden, and which each request asks for. */
    private static final int NOT_VCN_MANAGED = 28;

    private static final int[] CAPABILITIES = {
        NetworkCapabilities.NET_CAPABILITY_INTERNET,
        NetworkCapabilities.NET_CAPABILITY_VALIDATED,
        NetworkCapabilities.NET_CAPABILITY_NOT_ROAMING,
        NetworkCapabilities.NET_CAPABILITY_NOT_SUSPENDED,
        NetworkCapabilities.NET_CAPABILITY_NOT_CONGESTED,
        NetworkCapabilities.NET_CAPABILITY_FOREGROUND,
        NOT_VCN_MANAGED,
    };

    final int type;
    private final String route;
    private final int number;
    private final int transport;

    NetworkOfPhone(String route, int number, int type, int transport) {
        this.route = route;
        this.number = number;
        this.type = type;
        this.transport = transport;
    }

    /** Returns the connected one, or null. */
    static NetworkOfPhone active() {
        for (NetworkOfPhone each : values()) {
            if (each.isConnected()) {
                return each;
            }
        }
        return null;
    }

    /** Returns the connected one if it is this network; otherwise null. */
    static NetworkOfPhone of(Network network) {
        NetworkOfPhone active = active();
        return active != null && active.network().equals(network) ? active : null;
    }

    boolean isConnected() {
        return route.equals(PhoneState.get("network"));
    }

    boolean isMetered() {
        return this == MOBILE;
    }

    Network network() {
        return ShadowNetwork.newInstance(number);
    }

    NetworkInfo info() {
        boolean isConnected = isConnected();
        NetworkInfo.DetailedState state =
                isConnected ? NetworkInfo.DetailedState.CONNECTED : NetworkInfo.DetailedState.DISCONNECTED;
        NetworkInfo info = ShadowNetworkInfo.newInstance(
                state,
                type,
                0,
                isConnected,
                isConnected ? NetworkInfo.State.CONNECTED : NetworkInfo.State.DISCONNECTED);
        ReflectionHelpers.setField(info, "mTypeName", name());
        return info;
    }

    NetworkCapabilities capabilities() {
        NetworkCapabilities.Builder builder = new NetworkCapabilities.Builder().addTransportType(transport);
        for (int capability : CAPABILITIES) {
            builder.addCapability(capability);
        }
        if (!isMetered()) {
            builder.addCapability(NetworkCapabilities.NET_CAPABILITY_NOT_METERED);
        }
        return builder.build();
    }

    LinkProperties link() {
        LinkProperties link = new LinkProperties();
        link.setInterfaceName(route);
        return link;
    }
}
