/**
 * The blocks of the documents that `documents.test.ts` and `page.test.ts` do not run: by page and first words, the suite
 * that runs it, or why none does. `*` stands for every other block of the page.
 */
export const elsewhere: Record<string, Record<string, string>> = {
  'README.md': {
    '┌───': 'a drawing',
    'npm start ': 'test/ship/setup.test.ts',
    '*': 'test/firstHour.test.ts',
  },
  'CONTRIBUTING.md': { '*': 'the list of suites, which .ci/run runs' },
  'docs/accounts.md': { 'curl {base_url}/person/sandbox': 'src/account/sandboxLinks.test.ts' },
  'docs/backup.md': { AGLET_ROOT_KEY: 'src/cli/operator/moveBackup.test.ts' },
  'docs/config-as-code.md': { 'aglet login': 'test/firstHour.test.ts', 'tags:': 'test/firstHour.test.ts' },
  'docs/consent.md': { '{"storage"': 'src/consent/tcString.test.ts' },
  'docs/deploy.md': {
    'npm pack': 'test/ship/package.test.ts',
    'sudo apt-get install': 'test/ship/systemd.test.ts',
    AGLET_ORIGIN: 'settings for a file, of an example’s address',
    'sudo -u aglet': 'test/ship/systemd.test.ts',
    'podman build': 'test/ship/container.test.ts',
    'helm install': 'test/ship/helm.test.ts',
    'sudo install -m 644': 'test/ship/systemd.test.ts',
    kubectl: 'needs a cluster of Kubernetes; test/ship/helm.test.ts checks its manifests',
    'cd deploy': 'test/ship/container.test.ts',
  },
  'docs/events.md': { '*': 'src/edge/eventReference.test.ts' },
  'docs/first-party.md': { '*': 'test/edge/proxies.test.ts' },
  'docs/guarantees.md': { '*': 'the fault suites, which .ci/run runs' },
  'docs/logs.md': { journalctl: 'needs a journal of systemd; the fields are checked by test/ship/monitoring.test.ts' },
  'docs/moving-from-gtm.md': { '*': 'test/importPlan.test.ts' },
  'docs/moving-from-rudderstack.md': { '*': 'test/importPlan.test.ts' },
  'docs/moving-from-segment.md': { '*': 'test/importPlan.test.ts' },
  'docs/moving-from-zaraz.md': { '*': 'test/importPlan.test.ts' },
  'docs/operating.md': {
    histogram_quantile: 'test/ship/monitoring.test.ts',
    'aglet backup': 'test/ship/drill.test.ts',
    AGLET_SMTP_URL: 'settings for a file, of an example’s address; src/mail/mail.test.ts reads such',
  },
  'docs/page-adapters.md': { '*': 'test/browser/adapters.test.ts' },
  'docs/performance.md': { '*': 'the benchmarks, of which .ci/run runs the quick one' },
  'docs/playground.md': { '*': 'test/journey/playground.test.ts' },
  'docs/preview-link.md': { '*': 'test/journey/previewLink.test.ts' },
  'docs/releases.md': {
    openssl: 'test/ship/release.test.ts, which .ci/nightly runs; test/release.test.ts runs the first in short',
  },
  'docs/scale.md': {
    'sudo systemd-run': 'test/ship/systemd.test.ts',
    'sudo systemctl': 'test/ship/systemd.test.ts',
    'scope: aglet': 'test/docs.test.ts',
    '*': 'needs several machines; test/cluster runs the same on one',
  },
  'docs/same-origin.md': { '*': 'test/edge/shopPath.test.ts' },
  'docs/script-journey.md': { '*': 'a drawing' },
  'docs/sdk.md': { import: 'test/ship/package.test.ts' },
  'docs/secret-entries.md': { '*': 'src/script/secret.vectors.test.ts' },
  'docs/sources.md': {
    'const analytics': 'test/clients/segment.test.ts',
    gtag: 'test/clients/ga4.test.ts',
    'const emit': 'test/clients/cloudEvents.test.ts',
    'const tracker': 'test/clients/snowplow.test.ts',
  },
  'docs/shopify.md': { buyer: 'a drawing' },
  'docs/tags-and-deployments.md': { '*': 'src/script/hook.test.ts' },
  'docs/threat-model.md': { '*': 'a drawing' },
  'docs/walk-through.md': { '*': 'test/walkThrough.test.ts' },
  'docs/webhook.md': { '*': 'test/journey/webhook.test.ts' },
}

/** The ten jobs of a team's first week, and the suites that walk each. */
export const jobs: Record<string, string[]> = {
  'start and first event': ['test/ship/setup.test.ts', 'test/firstHour.test.ts', 'test/dashboard/jobs.test.ts'],
  'a day in the dashboard, from the tag to the roll-back': [
    'test/walk/day.test.ts',
    'test/dashboard/jobs.test.ts',
    'test/dashboard/firstWeek.test.ts',
    'test/dashboard/manage.test.ts',
    'test/dashboard/history.test.ts',
  ],
  'a page with the SDK and a consent': ['test/walk/page.test.ts', 'test/browser/sdk.test.ts'],
  'a webhook with a secret that breaks in four ways': [
    'test/journey/webhook.test.ts',
    'test/journey/webhookTemplates.test.ts',
    'test/dashboard/webhookCalls.test.ts',
  ],
  'a provider of one’s own': ['test/newProvider.test.ts', 'test/walk/provider.test.ts'],
  'configuration from sandbox to production, OAuth, twelve commands': [
    'test/walk/documents.test.ts',
    'test/firstHour.test.ts',
    'test/walkThrough.test.ts',
    'test/clients/oauth.test.ts',
  ],
  'the SDKs of Segment and GA4': ['test/clients/segment.test.ts', 'test/clients/ga4.test.ts'],
  'package, unit, backup, restore, upgrade': [
    'test/ship/package.test.ts',
    'test/ship/systemd.test.ts',
    'test/ship/drill.test.ts',
    'test/backup.test.ts',
    'test/upgrade.test.ts',
    'test/walk/documents.test.ts',
  ],
  'a vendor’s outage': ['test/walk/documents.test.ts', 'test/dashboard/jobs.test.ts', 'test/journey/replay.test.ts'],
  'the documents, word for word': ['test/walk/documents.test.ts', 'test/docs.test.ts'],
}
