import { list, plural } from '../format.ts'
import { channelWords } from './channels.ts'

/** Texts of the consent page. */
export const consentWords = {
  intro: 'Which consent each channel requires, and from which regions it gets events.',
  isOff: 'Consent is off for this tag: every channel gets every event, whatever the visitor chose.',
  isOn: 'Consent is on: a channel gets an event only if the visitor allows its category.',
  hold: (hold: 'off' | number) =>
    hold === 'off'
      ? 'An event without the consent that a channel needs is not sent to it.'
      : `An event without an answer waits up to ${plural(hold, 'minute', 'minutes')} for it.`,
  gpc: (isOn: boolean) =>
    isOn ? 'Global Privacy Control counts as a refusal of advertising.' : 'Global Privacy Control is ignored.',
  change: 'Change',
  matrix: 'Channels and categories',
  matrixNote: 'Each channel has one category. Necessary channels need no consent.',
  choose: (channel: string, category: string) => `${channel} needs ${channelWords.category(category)}`,
  notOffered: 'The provider does not offer it',
  sentences: 'What each consent allows',
  reaches: (category: string, channels: readonly string[]) =>
    category === 'necessary'
      ? `All visitors: sent to ${channels.length === 0 ? 'no channel' : list(channels)}.`
      : `Visitors who allow ${category === 'functional' ? 'functional features' : channelWords.category(category).toLowerCase()}: sent to ${channels.length === 0 ? 'no channel' : list(channels)}.`,
  isLive: 'live',
  notYet: (channel: string) => `${channel} (not live yet)`,
  until: (channel: string) => `${channel} (until the change is live)`,
  noneTitle: 'No channels',
  none: 'Add a channel first. Then choose its category here.',
  changed: (n: number) => plural(n, 'channel is changed', 'channels are changed'),
  regionsTitle: (channel: string) => `Regions of ${channel}`,
  regionsChange: (channel: string) => `Change the regions of ${channel}`,
}
