import { plural } from '../format.ts'

/** Texts for saved values that are not live. */
export const notLiveWords = {
  mark: 'not live yet',
  title: (n: number) => `${plural(n, 'saved value is', 'saved values are')} not live yet.`,
  neverLive: 'This channel is saved and was never deployed. It gets no events.',
  saved: 'Saved',
  live: 'Live',
  providerDefault: 'the default of the provider',
  changed: 'changed',
  difference: 'See the difference',
  deploy: 'Deploy',
  deployTitle: 'Deploy saved changes?',
  deployText: 'These changes go live with the next event. You can make the current deployment live again at any time.',
  discard: 'Discard',
  discardTitle: 'Discard changes that are not live?',
  discardText:
    'The saved settings are replaced with the live ones. Channels that were never deployed stay as they are.',
  nothing: 'Nothing to deploy: all saved changes are live.',
}
