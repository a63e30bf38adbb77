import { list, plural } from '../format.ts'
import { channelWords } from './channels.ts'
import { settingsWords } from './settings.ts'

type Change = 'added' | 'changed' | 'removed'
const changes: Record<Change, string> = { added: 'added', changed: 'changed', removed: 'removed' }
const fields: Record<string, string> = {
  ...settingsWords.labels,
  hosts: 'Host names',
  plugins: 'Plugins',
  providerId: 'Provider',
  consentCategory: 'Consent',
  geoRegions: 'Regions',
  purchaseValueMode: channelWords.valueMode,
  paused: 'Paused',
}

/** Texts of deployments. */
export const deploymentWords = {
  intro: 'Every state of this tag that was live, newest first. Each can be made live again.',
  live: 'live',
  columns: { number: 'Deployment', when: 'When', who: 'Who', what: 'What changed' },
  name: (number: number) => `Deployment ${number}`,
  nothing: 'nothing',
  settings: 'Settings of the tag',
  activates: (number: number) => `the state of deployment ${number} again`,
  summary: (settings: readonly string[], scripts: readonly { name: string; change: Change }[]) =>
    list([
      ...(settings.length > 0 ? [plural(settings.length, 'setting', 'settings')] : []),
      ...scripts.map(({ name, change }) => `${name} ${changes[change]}`),
    ]),
  change: (change: Change) => changes[change],
  field: (name: string) => fields[name] ?? name.replace(/^secrets\./, ''),
  version: (version: unknown) => `version ${version}`,
  secretChanged: 'The value is secret and is not shown.',
  before: 'Before',
  after: 'After',
  draftTitle: 'Saved, not live',
  draftNote: (number: number) => `Changes that a deployment would make now, compared with deployment ${number}.`,
  noDraft: 'All saved changes are live.',
  rollBack: 'Make it live again',
  rollBackTitle: (number: number) => `Make deployment ${number} live again?`,
  rollBackText: 'This makes a new deployment. Host names, pauses and saved drafts do not change.',
  isLive: 'It is live.',
  previous: 'Previous',
  next: 'Next',
  lines: (added: number, removed: number) => `${added} added, ${removed} removed`,
  sameLines: (n: number) => plural(n, 'line is the same', 'lines are the same'),
  facts: { who: 'Who', when: 'When', activates: 'Has the state of' },
  unchanged: 'This deployment changed nothing.',
  first: 'The first deployment: everything is new.',
}
