import com.iab.gpp.encoder.GppModel;
import com.iabtcf.decoder.TCString;
import com.iabtcf.utils.IntIterable;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Reads lines `tcf TEXT` and `gpp TEXT`, and writes for each what the decoder of the IAB says of it, as a line of JSON. */
public final class Decode {
  private static final List<String> GPP_FIELDS = List.of("SaleOptOut", "SharingOptOut", "TargetedAdvertisingOptOut",
      "SensitiveDataProcessing", "KnownChildSensitiveDataConsents", "Gpc");
  private static final List<String> SECTIONS = List.of("usnat", "usca", "usva", "usco", "usut", "usct");

  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    StringBuilder out = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String text = line.substring(4);
      try {
        out.append(line.startsWith("tcf") ? tcf(text) : gpp(text));
      } catch (RuntimeException error) {
        out.append("{\"error\":\"").append(error.getClass().getSimpleName()).append("\"}");
      }
      out.append('\n');
    }
    System.out.print(out);
  }

  private static String tcf(String text) {
    TCString read = TCString.decode(text);
    String restrictions = read.getPublisherRestrictions().stream()
        .map(each -> "[" + each.getPurposeId() + "," + each.getRestrictionType().ordinal() + ","
            + ids(each.getVendorIds()) + "]")
        .collect(Collectors.joining(",", "[", "]"));
    return "{\"lastUpdated\":" + read.getLastUpdated().toEpochMilli() + ",\"cmpId\":" + read.getCmpId()
        + ",\"listVersion\":" + read.getVendorListVersion() + ",\"policyVersion\":" + read.getTcfPolicyVersion()
        + ",\"isServiceSpecific\":" + read.isServiceSpecific() + ",\"purposes\":" + ids(read.getPurposesConsent())
        + ",\"interests\":" + ids(read.getPurposesLITransparency()) + ",\"vendors\":" + ids(read.getVendorConsent())
        + ",\"vendorInterests\":" + ids(read.getVendorLegitimateInterest()) + ",\"disclosed\":"
        + ids(read.getDisclosedVendors()) + ",\"restrictions\":" + restrictions + "}";
  }

  private static String ids(IntIterable of) {
    return of.toStream().sorted().mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
  }

  private static String gpp(String text) {
    GppModel model = new GppModel(text);
    List<String> sections = new ArrayList<>();
    for (String section : SECTIONS) {
      String name = section + "v1";
      if (!model.hasSection(name)) continue;
      String fields = GPP_FIELDS.stream().filter(field -> model.hasField(name, field))
          .map(field -> "\"" + field + "\":" + json(model.getFieldValue(name, field)))
          .collect(Collectors.joining(",", "{", "}"));
      sections.add("\"" + section + "\":" + fields);
    }
    return "{\"ids\":" + json(model.getSectionIds()) + ",\"sections\":{" + String.join(",", sections) + "}}";
  }

  private static String json(Object value) {
    if (value instanceof Collection<?> list)
      return list.stream().map(Decode::json).collect(Collectors.joining(",", "[", "]"));
    return String.valueOf(value);
  }
}
