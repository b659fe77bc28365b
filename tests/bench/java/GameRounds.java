import org.example.game.play.Game;
import org.example.game.play.Settings;

/** Plays the game of examples/game with its default inputs. Prints the ns of the least of its rounds. */
public final class GameRounds {
    private static final int ROUNDS = 25;

    private GameRounds() {}

    public static void main(String[] arguments) throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            Settings settings = new Settings((name, byDefault) -> byDefault);
            long start = System.nanoTime();
            new Game(settings).play();
            least = Math.min(least, System.nanoTime() - start);
        }
        System.out.println("game " + least);
    }
}
