package assay.junit;

import assay.Assay;
import assay.Recorder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Gives a test of JUnit 5 a recorder, and checks at the end of the test what it recorded.
 *
 * <pre>
 *   {@literal @}RegisterExtension static final AssayExtension ASSAY = AssayExtension.level("si");
 *
 *   {@literal @}Test void transfers(Recorder recorder) { ... }
 * </pre>
 *
 * The test fails with the story. The system property assay.reports names a directory for an HTML
 * page of each test that fails. Tests may run at the same time: each has its own recorder.
 */
public final class AssayExtension implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace OURS =
        ExtensionContext.Namespace.create(AssayExtension.class);

    private final String levels;

    private AssayExtension(String levels) {
        this.levels = levels;
    }

    /** Checks these levels: "si", "si,ser". */
    public static AssayExtension level(String levels) {
        return new AssayExtension(levels);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Recorder.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return test.getStore(OURS).getOrComputeIfAbsent(Recorder.class, key -> new Recorder());
    }

    @Override
    public void afterEach(ExtensionContext test) throws Exception {
        Recorder recorder = test.getStore(OURS).get(Recorder.class, Recorder.class);
        if (recorder == null || test.getExecutionException().isPresent()) {
            return;
        }
        String lines = recorder.jsonl();
        if (lines.isEmpty()) {
            throw new AssertionError("assay: the test recorded no transaction");
        }
        Assay.Result result =
            Assay.inspect(Assay.History.parse(lines), levels, Assay.Limits.NONE, "html");
        if (result.verdict == Assay.Verdict.HOLDS) {
            return;
        }
        String directory = System.getProperty("assay.reports");
        if (directory != null) {
            Path page = Path.of(directory, test.getDisplayName().replaceAll("[^\\w.-]+", "-") + ".html");
            Files.createDirectories(page.getParent());
            Files.write(page, result.report(1));
            test.publishReportEntry("assay", page.toString());
        }
        throw new AssertionError("\n" + result.text());
    }
}
