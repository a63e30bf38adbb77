import { duration, list } from '../format.ts'

const categories: Record<string, string> = {
  necessary: 'necessary',
  advertising: 'advertising',
  analytics: 'analytics',
  functional: 'functional',
}

/** The sentences of Explain: what was needed, what was found, who decided, and what to change. */
export const explainWords = {
  category: (name: string) => categories[name] ?? name,
  consent: {
    none: (needs: string) => `Not sent: the channel needs consent for ${needs}, and the visitor has given none.`,
    unanswered: (needs: string) =>
      `Not sent: the channel needs consent for ${needs}, and the visitor has not answered the banner yet.`,
    category: (needs: string) => `Not sent: the channel needs consent for ${needs}, and the visitor refused it.`,
    provider: 'Not sent: the visitor refused this channel by name.',
    gpc: (needs: string) =>
      `Not sent: the visitor’s browser sends Global Privacy Control, which counts as a refusal of ${needs}.`,
    tcf: (needs: string) =>
      `Not sent: the channel needs consent for ${needs}, and the TC string of the visitor refuses it.`,
    gpp: (needs: string) =>
      `Not sent: the channel needs consent for ${needs}, and the GPP string of the visitor objects.`,
    others: (needs: string) =>
      `Not sent: another visitor with the same e-mail refused ${needs}, and the stricter consent counts.`,
    plain: 'Not sent: the visitor’s consent does not allow this channel.',
  },
  region: (regions: string, place: string | undefined) =>
    `Not sent: the channel sends only ${regions}; this event came from ${place ?? 'an unknown place'}.`,
  regionPlain: 'Not sent: the channel does not send events from this place.',
  notSelected: 'Not sent: the event itself names its channels in “providers”, and this one is not among them.',
  filteredByPlugin: (plugin: string) => `Not sent: the plugin ${plugin} filtered the event.`,
  filteredByOrigin: 'Not sent: the code of this channel sent the event, so it does not get it back.',
  filteredPlain: 'Not sent: a plugin, a rule or a setting filtered the event.',
  identityMissing: (needs: readonly (readonly string[])[]) =>
    `Not sent: the vendor cannot tell who this is. It needs ${needs.map((each) => each.join(' and ')).join(', or ')}.`,
  identityMissingPlain: 'Not sent: nothing known about the visitor identifies them to the vendor.',
  eventNotSupported: (name: string, takes: readonly string[]) =>
    takes.length > 0
      ? `Not sent: the channel does not support ${name}. It supports ${list(takes)}.`
      : `Not sent: the channel does not support ${name}.`,
  tooOld: (ageMs: number, maxAgeMs: number) =>
    `Not sent: the event was ${duration(ageMs)} old, and the vendor accepts none older than ${duration(maxAgeMs)}.`,
  tooOldPlain: 'Not sent: the event is older than the vendor accepts.',
  duplicate: 'Not sent: the vendor already has an event with this id.',
  keyRejected: 'The vendor rejects the key of this channel. Events wait until the key is replaced.',
  payloadRefused: (answer: string | undefined) =>
    answer
      ? `The vendor refused this event: “${answer}” It is not tried again.`
      : 'The vendor refused this event. It is not tried again.',
  addressNotAllowed:
    'The address of the channel is not allowed on this server: it leads into a private network, or to a closed port.',
  vendorDown: 'The vendor does not answer, or answers with server errors. The event waits and is retried.',
  throttled: 'The vendor asked for fewer calls. The event waits and is retried.',
  poison: 'Sending this event crashed the worker several times. It was set aside so that others can be sent.',
  expired: 'It waited longer than events are kept, and was given up.',
  erased: 'The visitor was erased, so this event is not sent.',
  delivered: 'The vendor accepted the event.',
  simulated: 'The request was built and not sent, because this channel only simulates.',
  heldForShop: 'The purchase of the page waits for the webhook of its order, so that the channel gets one of them.',
  held: 'The event waits for the visitor’s consent, because the tag’s setting “hold” is on.',
  pending: 'It is waiting for its turn.',
  dead: (answer: string | undefined) =>
    answer ? `All attempts failed; the last one: “${answer}”` : 'All attempts failed.',
  actions: {
    consent: 'How the SDK asks for consent',
    channel: 'Change the channel',
    regions: 'Change regions',
    key: 'Replace the key',
    plugins: 'Plugins of the tag',
  },
}
