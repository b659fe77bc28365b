package org.example.modules;

import android.app.Activity;
import android.app.AlarmManager;
import android.app.PendingIntent;
import android.content.ComponentName;
import android.content.Context;
import android.content.Intent;
import android.content.ServiceConnection;
import android.os.IBinder;
import android.os.SystemClock;
import android.view.KeyEvent;
import android.widget.Button;
import android.widget.LinearLayout;

/** What a screen can do. Each entry has a button and the key with its number. */
final class Menu {
    private static final String[] ENTRIES = {
        "1 main", "2 second", "3 third", "4 start MyService", "5 MyService2 every minute", "6 bind to MyService3", "7 no alarm",
        "8 back to main",
    };
    private static final long MINUTE_MS = 60_000;

    private final Activity screen;
    private ServiceConnection connection;

    Menu(Activity screen) {
        this.screen = screen;
    }

    void show() {
        LinearLayout list = new LinearLayout(screen);
        list.setOrientation(LinearLayout.VERTICAL);
        for (int i = 0; i < ENTRIES.length; i++) {
            int key = KeyEvent.KEYCODE_1 + i;
            Button button = new Button(screen);
            button.setText(ENTRIES[i]);
            button.setOnClickListener(view -> press(key));
            list.addView(button);
        }
        screen.setContentView(list);
    }

    /** Handles a key; returns whether the menu has an entry for it. */
    boolean press(int key) {
        switch (key - KeyEvent.KEYCODE_0) {
            case 1:
                return open(MainActivity.class);
            case 2:
                return open(SecondActivity.class);
            case 3:
                return open(ThirdActivity.class);
            case 4:
                screen.startService(new Intent(screen, MyService.class));
                return true;
            case 5:
                long first = SystemClock.elapsedRealtime() + MINUTE_MS;
                alarms().setRepeating(AlarmManager.ELAPSED_REALTIME_WAKEUP, first, MINUTE_MS, service2());
                return true;
            case 6:
                bind();
                return true;
            case 7:
                alarms().cancel(service2());
                return true;
            case 8:
                int flags = Intent.FLAG_ACTIVITY_CLEAR_TOP | Intent.FLAG_ACTIVITY_SINGLE_TOP; // not a new one
                screen.startActivity(new Intent(screen, MainActivity.class).addFlags(flags));
                return true;
            default:
                return false;
        }
    }

    /** Unbinds from MyService3. */
    void close() {
        if (connection != null) {
            screen.unbindService(connection);
            connection = null;
        }
    }

    /** Opens another screen. */
    private boolean open(Class<? extends Activity> other) {
        if (other != screen.getClass()) {
            screen.startActivity(new Intent(screen, other));
        }
        return true;
    }

    private void bind() {
        close();
        connection = new ServiceConnection() {
            @Override
            public void onServiceConnected(ComponentName name, IBinder service) {}

            @Override
            public void onServiceDisconnected(ComponentName name) {}
        };
        screen.bindService(new Intent(screen, MyService3.class), connection, Context.BIND_AUTO_CREATE);
    }

    private AlarmManager alarms() {
        return (AlarmManager) screen.getSystemService(Context.ALARM_SERVICE);
    }

    private PendingIntent service2() {
        int flags = PendingIntent.FLAG_UPDATE_CURRENT | PendingIntent.FLAG_IMMUTABLE;
        return PendingIntent.getService(screen, 0, new Intent(screen, MyService2.class), flags);
    }
}
