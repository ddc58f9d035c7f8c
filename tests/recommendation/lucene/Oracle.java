// Scores fielded queries with the real Lucene 4.10, for comparison.
//
// Input, a line each, fields parted by tabs:
//   D <field>=<terms> ...                 a document (terms parted by spaces)
//   Q <tie> <terms> <field>^<boost> ...   a query: one DisjunctionMax over the fields for each term
//   B <rounds>                            time the queries since the last B, that many times over
// Output: "<query number> <document number> <score>" best first, or "T <seconds> ..." for B, one for a round.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.DefaultSimilarity;
import org.apache.lucene.store.RAMDirectory;
import org.apache.lucene.util.Version;

public class Oracle {
    public static void main(String[] arguments) throws Exception {
        int depth = arguments.length > 0 ? Integer.parseInt(arguments[0]) : Integer.MAX_VALUE;
        BooleanQuery.setMaxClauseCount(1 << 20);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        RAMDirectory directory = new RAMDirectory();
        IndexWriterConfig config =
            new IndexWriterConfig(Version.LUCENE_4_10_4, new WhitespaceAnalyzer());
        config.setSimilarity(new DefaultSimilarity());
        IndexWriter writer = new IndexWriter(directory, config);
        IndexSearcher searcher = null;
        List<Query> asked = new ArrayList<Query>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t");
            if (parts[0].equals("D")) {
                writer.addDocument(document(parts));
                continue;
            }
            if (searcher == null) {
                writer.forceMerge(1);
                writer.close();
                searcher = new IndexSearcher(DirectoryReader.open(directory));
                searcher.setSimilarity(new DefaultSimilarity());
            }
            if (parts[0].equals("B")) {
                out.println("T" + times(searcher, asked, Integer.parseInt(parts[1]), depth));
                asked.clear();
                continue;
            }
            Query query = query(parts);
            int hits = Math.min(depth, searcher.getIndexReader().maxDoc());
            if (arguments.length < 2) {
                for (ScoreDoc hit : searcher.search(query, hits).scoreDocs) {
                    out.println(asked.size() + " " + hit.doc + " " + hit.score);
                }
            }
            asked.add(query);
        }
        out.flush();
    }

    private static Document document(String[] parts) {
        Document document = new Document();
        for (int i = 1; i < parts.length; i++) {
            int at = parts[i].indexOf('=');
            String name = parts[i].substring(0, at);
            document.add(new TextField(name, parts[i].substring(at + 1), Field.Store.NO));
        }
        return document;
    }

    private static Query query(String[] parts) {
        float tie = Float.parseFloat(parts[1]);
        BooleanQuery all = new BooleanQuery();
        for (String term : parts[2].split(" ")) {
            DisjunctionMaxQuery any = new DisjunctionMaxQuery(tie);
            for (int i = 3; i < parts.length; i++) {
                int at = parts[i].indexOf('^');
                TermQuery one = new TermQuery(new Term(parts[i].substring(0, at), term));
                one.setBoost(Float.parseFloat(parts[i].substring(at + 1)));
                any.add(one);
            }
            all.add(any, BooleanClause.Occur.SHOULD);
        }
        return all;
    }

    // Processor time of this thread alone: other programs, and Java's own compiler, are not held against Lucene.
    private static String times(IndexSearcher searcher, List<Query> queries, int rounds, int depth)
        throws Exception {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        StringBuilder found = new StringBuilder();
        for (int round = 0; round < rounds; round++) {
            long begun = clock.getCurrentThreadCpuTime();
            for (Query query : queries) {
                searcher.search(query, depth);
            }
            found.append(" ").append((clock.getCurrentThreadCpuTime() - begun) / 1e9);
        }
        return found.toString();
    }
}
