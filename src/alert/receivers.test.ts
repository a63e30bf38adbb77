import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ContactKind } from '#contract/alertKinds.ts'
import type { IncidentRecord } from '#store/incidents.ts'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { openReceivers, receiverUrls, routingKey } from '../../test/fake/receivers.ts'
import { alertTexts, phrase, phraseText } from './alertPhrases.ts'
import { incidentText, oneLine, type ReportedIncident, testText } from './alertText.ts'
import type { ContactSettings } from './contactPoint.ts'
import { findBatches } from './sendIncidents.ts'
import { sendToContact } from './sendToContact.ts'

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const clock = { now: () => Date.UTC(2026, 10, 20) }
const settings: ContactSettings = {
  target: 'x',
  isConfirmed: true,
  language: 'en',
  secret,
  routingKey,
  address: 'jane@shop.example',
}
const kinds = ['email', 'slack', 'teams', 'discord', 'pagerDuty', 'webhook'] as const
const url = 'https://aglet.example/dashboard/team_1/alerts'
const told = (more: Partial<ReportedIncident> = {}): ReportedIncident => ({
  ...{
    incidentId: 'inc_1',
    rule: 'Stopped',
    title: phrase('channelStopped', 'Shop', 'Meta'),
    detail: phrase('isVendorDown'),
    timeZone: 'UTC',
  },
  ...{ firstAt: 1, lastAt: 2, url, ...more },
})

async function sendTo(kind: ContactKind, text: ReturnType<typeof testText>) {
  const receivers = openReceivers(clock, () => secret)
  const own = kind in receiverUrls ? { url: receiverUrls[kind as keyof typeof receiverUrls] } : {}
  const message = {
    teamId: 'team_1',
    kind,
    settings: { ...settings, ...own },
    text,
    dedupKey: 'inc_1',
    data: {},
    unsubscribeUrl: url,
  }
  const result = await sendToContact(message, { environment: 'production', clock, ...receivers })
  return { result, got: receivers.got }
}

test('every receiver accepts a start, an end, a test and a list, and gets the name, the page and both times', async () => {
  const many = Array.from({ length: 300 }, (_, n) =>
    told({ incidentId: `inc_${n}`, title: phrase('channelStopped', `Shop ${n}`, 'Meta') }),
  )
  for (const kind of kinds) {
    const list = incidentText('started', [told(), ...many], url, 'en')
    for (const text of [
      incidentText('started', [told()], url, 'en'),
      incidentText('ended', [told()], url, 'en'),
      list,
    ]) {
      const { result, got } = await sendTo(kind, text)
      assert.deepEqual(result, { isSent: true }, kind)
      assert.match(got[0]!.text, text === list ? /301 alerts/ : /Shop: stopped: Meta/)
      assert.ok(got[0]!.text.includes(url))
      assert.match(JSON.stringify(got[0]!.json), /First event.*Last event/)
    }
    const { result, got } = await sendTo(kind, testText('msg_1', kind, url, 'en'))
    assert.deepEqual([result.isSent, got[0]!.state], [true, 'test'])
  }
})

test('two alerts with one title are both told', async () => {
  const other = told({ incidentId: 'inc_2', detail: phrase('isKeyRejected') })
  for (const kind of kinds) {
    const { got } = await sendTo(kind, incidentText('started', [told(), other], url, 'en'))
    assert.match(got[0]!.text, /the vendor is down[\s\S]*the vendor rejects the key/, kind)
  }
})

test('no name of a stranger forges a line, a header, a mention, a link or a control character', async () => {
  const nasty = fc.constantFrom(
    ...[
      '\r\nBcc: all@example.com',
      '<!channel>',
      '@everyone',
      '[a](https://evil.example)',
      '<@U1>',
      '\u202e',
      '\u0000',
    ],
    ...['\u2028', '&lt;', '*_~`', '\ud800', '\x1b[31m', '<https://evil.example|shop>', 'x'.repeat(5_000)],
  )
  const names = fc
    .array(fc.oneof(nasty, fc.string({ unit: anyCodePoint })), { maxLength: 6 })
    .map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(names, names, names, fc.constantFrom(...kinds), async (name, other, rule, kind) => {
      const named = { title: phrase('failureRate', name, other), detail: phrase('newNames', other), rule }
      const text = incidentText('started', [told(named)], url, 'de')
      const { result, got } = await sendTo(kind, text)
      assert.deepEqual(result, { isSent: true })
      if (kind === 'discord') assert.doesNotMatch(got[0]!.text, /(?<!\\)\[.*(?<!\\)\]\(/)
    }),
    { endOnFailure: true, numRuns: 300 },
  )
})

test('every receiver gets its messages in its language, and no place of a sentence stays open', async () => {
  for (const kind of kinds) {
    const { got } = await sendTo(kind, incidentText('started', [told()], url, 'de'))
    assert.match(got[0]!.text, /Beginnt: Shop: steht still: Meta/)
    assert.match((await sendTo(kind, incidentText('ended', [told(), told()], url, 'de'))).got[0]!.text, /2 Meldungen/)
    assert.match(JSON.stringify(got[0]!.json), /Erstes Ereignis.*Letztes Ereignis/)
    assert.match((await sendTo(kind, testText('msg_1', kind, url, 'de'))).got[0]!.text, /Test: eine Nachricht an/)
  }
  for (const name of Object.keys(alertTexts.en.phrases) as Parameters<typeof phrase>[0][]) {
    const [english, german] = (['en', 'de'] as const).map((language) => phraseText(phrase(name, 0.125, 2), language))
    assert.doesNotMatch(`${english} ${german}`, /[{}]|undefined/, name)
    const placesOf = (language: 'en' | 'de') => alertTexts[language].phrases[name].match(/\{\d%?\}/g)?.sort()
    assert.deepEqual(placesOf('de'), placesOf('en'), name)
  }
  assert.equal(phraseText(phrase('freeDisk', 0.125), 'de'), '12,5 % der Platte des Servers sind frei')
  assert.equal(phraseText(phrase('silence', '{0%} {1}', 'x'), 'en'), '{0%} {1}: no events', 'a name is no template')
})

test('one line has no line end, no invisible sign, and a bounded length', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint, maxLength: 1_000 }), fc.integer({ min: 2, max: 300 }), (text, max) => {
      const line = oneLine(text, max)
      assert.ok(line.length <= max)
      assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2066-\u2069]/u)
    }),
  )
})

test('an address that is not confirmed gets nothing, and without a mail server the message waits', async () => {
  const message = {
    teamId: 'team_1',
    kind: 'email' as const,
    text: testText('1', 'a', url, 'en'),
    dedupKey: '1',
    data: {},
    unsubscribeUrl: url,
  }
  const send = async () => assert.fail('nothing is sent')
  const deps = { environment: 'production' as const, clock, send }
  const unconfirmed = await sendToContact({ ...message, settings: { ...settings, isConfirmed: false } }, deps)
  assert.deepEqual(unconfirmed, { isSent: false, message: 'The address is not confirmed.', isFinal: true })
  const unsent = await sendToContact({ ...message, settings }, deps)
  assert.equal(unsent.isSent || unsent.isFinal, false)
})

test('a mail server that answers 4xx is tried again, and one that answers 5xx is not', async () => {
  const message = {
    teamId: 'team_1',
    kind: 'email' as const,
    settings,
    text: testText('1', 'a', url, 'en'),
    dedupKey: '1',
    data: {},
    unsubscribeUrl: url,
  }
  const send = async () => assert.fail('nothing is posted')
  const answers = [
    { status: 'failed', message: 'The server answered: 451' },
    { status: 'refused', message: 'The server answered: 550' },
  ] as const
  const finals: boolean[] = []
  for (const answer of answers) {
    const sendAlertMail = async () => answer
    const result = await sendToContact(message, { environment: 'production', clock, send, sendAlertMail })
    finals.push(!result.isSent && result.isFinal)
  }
  assert.deepEqual(finals, [false, true])
})

test('ten thousand alerts of a moment are one message to each contact point', () => {
  const to = ['a', 'b']
  const messages = to.map((name) => ({
    ...({ contactPointId: name, to: name, about: 'start', status: 'pending', tries: 0, nextAt: 5 } as const),
  }))
  const incident: IncidentRecord = {
    ...{ incidentId: 'inc', teamId: 'team_1', ruleId: 'rule', tagId: 'tag_1', rule: 'Stopped', kind: 'channelStopped' },
    ...{
      subjects: ['scr_1'],
      title: phrase('channelStopped', 'Shop', 'Meta'),
      detail: phrase('isStopped'),
      timeZone: 'UTC',
      firstAt: 1,
      lastAt: 2,
      startedAt: 2,
      messages,
    },
  }
  const many = Array.from({ length: 10_000 }, (_, n) => ({ ...incident, incidentId: `inc_${n}` }))
  const batches = findBatches(many, 5)
  assert.deepEqual(
    batches.map(({ to: name, ids }) => [name, ids.length]),
    [
      ['a', 10_000],
      ['b', 10_000],
    ],
  )
  const [first, ...others] = many.map((each) => ({ ...each, url }))
  const text = incidentText('started', [first!, ...others], url, 'en')
  assert.ok(JSON.stringify(text).length < 5_000)
})
