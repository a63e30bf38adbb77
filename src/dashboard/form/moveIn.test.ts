import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Script } from '#contract/script.ts'
import type { Tag } from '#contract/tag.ts'
import { findElements } from '#dashboard/list/importedElements.ts'
import { constant, eventData, exported, onEvent, tag, template } from '#import/gtm/container.fixture.ts'
import { importGtm } from '#import/gtm/importGtm.ts'
import { deps, options } from '#import/import.fixture.ts'
import { sealingKey } from './form.fixture.ts'
import { channelsOf, filesOf, type MovedChannel, moveIssues } from './moveIn.ts'
import { isNothing, moveBody, planMove, refusedFields } from './movePlan.ts'

const token = 'EAABsecret0123456789TAIL'
const result = importGtm(
  {
    server: exported({
      customTemplate: [template('5', 'Facebook Conversion API', { gallery: 'stape-io/facebook-tag' })],
      variable: [constant('token', token), eventData('value')],
      trigger: [onEvent('purchase')],
      tag: [
        tag('FB', 'cvt_9_5', { pixelId: '1234567890', accessToken: '{{token}}' }, { firing: ['purchase'] }),
        tag('GA4', 'sgtmgaaw', { measurementId: 'G-ABC1234567' }, { firing: ['purchase'] }),
        tag('off', 'sgtmgaaw', { measurementId: 'G-OFF1234567' }, { firing: ['purchase'], more: { paused: true } }),
      ],
    }),
  },
  options,
  deps,
)
const providers = [...deps.catalogue.values()]
const [meta, ga, off] = channelsOf(result) as [MovedChannel, MovedChannel, MovedChannel]
const filled = (channel: MovedChannel, variable: string, text: string): MovedChannel => ({
  ...channel,
  fields: { ...channel.fields, [variable]: { text, isKept: false } },
})
const apiSecret = 'GOOGLE_ANALYTICS_4_API_SECRET'
const whole = filled(ga, apiSecret, 'the-api-secret')
const target = { name: ' Shop ', domain: 'https://shop.example/cart' }
const nothingSaved = { providers, scripts: [] }
/** The saved channel that a plan for `channel` would create. */
const savedAs = (channel: MovedChannel, more: Partial<Script> = {}): Script => {
  const rows = Object.entries(channel.fields)
  return {
    ...channel.script,
    scriptId: 'scr_1',
    secrets: Object.fromEntries(
      rows.map(([variable, { text }]) => [
        variable,
        { isSet: true, ...(!/TOKEN|SECRET/.test(variable) && { value: text }) },
      ]),
    ),
    ...more,
  } as unknown as Script
}
const savedTag = { tagId: 'tag_1', name: 'shop', sources: ['segment'] } as unknown as Tag

test('channels that were on are chosen, with the values of the export in their fields', () => {
  assert.deepEqual(
    [meta, ga, off].map(({ isChosen }) => isChosen),
    [true, true, false],
  )
  assert.equal(meta.fields.FACEBOOK_ACCESS_TOKEN?.text, token)
  assert.equal(ga.fields[apiSecret]?.text, '')
})

test('a value that the export lacks is asked for, of chosen channels alone, unless the saved channel has it', () => {
  assert.deepEqual(moveIssues([meta, ga, off], nothingSaved), { [ga.key]: { [apiSecret]: 'missing' } })
  assert.deepEqual(moveIssues([{ ...ga, isChosen: false }], nothingSaved), {})
  assert.deepEqual(moveIssues([ga], { providers, scripts: [savedAs(ga)] }), {})
  assert.deepEqual(moveIssues([filled(ga, apiSecret, ' ')], nothingSaved), { [ga.key]: { [apiSecret]: 'missing' } })
})

test('a name is neither empty, nor of two channels, nor of a saved one of another provider', () => {
  const named = (channel: MovedChannel, name: string) => ({ ...channel, name })
  const issueOf = (channels: MovedChannel[], scripts: Script[] = []) => moveIssues(channels, { providers, scripts })
  assert.deepEqual(issueOf([named(meta, ' ')]), { [meta.key]: { name: 'missing' } })
  assert.deepEqual(issueOf([meta, named(whole, meta.name)]), { [ga.key]: { name: 'repeated' } })
  assert.deepEqual(issueOf([meta, { ...named(whole, meta.name), isChosen: false }]), {})
  assert.deepEqual(issueOf([meta], [savedAs(whole, { name: meta.name })]), { [meta.key]: { name: 'otherProvider' } })
})

test('a new tag is planned with its domain and sources, and each channel with its values and the labels of its secrets', () => {
  const plan = planMove([meta, whole, off], target, { sources: ['ga4'], providers })
  assert.deepEqual(plan.tag, { name: 'Shop', domain: 'shop.example', sources: ['ga4'] })
  assert.deepEqual(
    plan.channels.map(({ channel, sealed }) => [channel.name, sealed]),
    [
      ['Meta', ['Access token']],
      [whole.name, ['API secret']],
    ],
  )
  assert.ok(!JSON.stringify(plan.channels.map(({ values }) => values)).includes(token))
})

test('moving in a second time changes nothing, and a secret is sent again only if it was typed', () => {
  const scripts = [savedAs(meta)]
  const to = { tag: savedTag, scripts }
  assert.ok(isNothing(planMove([meta], to, { sources: ['segment'], providers })))
  const typed = planMove([filled(meta, 'FACEBOOK_ACCESS_TOKEN', 'new')], to, { sources: [], providers })
  assert.deepEqual(typed.channels[0]?.sealed, ['Access token'])
  const { tag: change } = planMove([meta], to, { sources: ['ga4'], providers })
  assert.deepEqual(change, { sources: ['segment', 'ga4'] })
  const [changed] = planMove([filled(meta, 'FACEBOOK_PIXEL_ID', '99')], to, { sources: [], providers }).channels
  assert.deepEqual(changed?.values, [{ name: 'secrets.FACEBOOK_PIXEL_ID', before: '1234567890', after: '99' }])
})

test('the call has every secret sealed, keeps regions of a saved channel, and names its id', async () => {
  const sealFor = { environment: 'production', teamId: 'team_1', key: await sealingKey() } as const
  const to = { tag: savedTag, scripts: [savedAs(meta, { geoRegions: 'EU' })] }
  const typed = filled(meta, 'FACEBOOK_ACCESS_TOKEN', 'another-secret')
  const plan = planMove([typed, whole], to, { sources: [], providers })
  const body = await moveBody(plan, to, providers, sealFor)
  assert.equal(body.tagId, 'tag_1')
  assert.deepEqual(
    body.scripts?.map(({ scriptId, geoRegions, secrets }) => [
      scriptId,
      geoRegions,
      secrets?.map((each) => each.variable),
    ]),
    [
      ['scr_1', 'EU', ['FACEBOOK_ACCESS_TOKEN']],
      [undefined, undefined, ['GOOGLE_ANALYTICS_4_MEASUREMENT_ID', apiSecret]],
    ],
  )
  assert.ok(!/another-secret|the-api-secret/.test(JSON.stringify(body)))
})

test('what the server refuses is found at its channel and field, the rest under the empty key', () => {
  const plan = planMove([meta, whole], target, { sources: [], providers })
  const issues = [
    { path: 'scripts.1.secrets.1', message: `${apiSecret}: Write it whole.` },
    { path: 'scripts.0.filter.data', message: 'is not a known field' },
    { path: 'scripts.0', message: 'is too large' },
    { path: 'tag.domain', message: 'must be a host name' },
  ]
  assert.deepEqual(refusedFields(issues, plan, providers), {
    [meta.key]: { rules: 'filter.data is not a known field', '': 'is too large' },
    [ga.key]: { [apiSecret]: 'Write it whole.' },
    '': { domain: 'must be a host name' },
  })
})

test('the files have the chosen channels under their new names, and no token outside of secrets.json', () => {
  const { configuration, secrets } = filesOf([{ ...meta, name: 'Ads' }, ga, off], { ...target, sources: [] }, providers)
  const [own] = configuration.tags
  assert.deepEqual([own?.name, own?.domain, own?.scripts.length], ['Shop', 'shop.example', 2])
  assert.deepEqual(own?.scripts[0]?.secrets, {
    FACEBOOK_PIXEL_ID: '1234567890',
    FACEBOOK_ACCESS_TOKEN: { file: 'secrets.json', key: 'Ads.FACEBOOK_ACCESS_TOKEN' },
  })
  assert.deepEqual(secrets, { 'Ads.FACEBOOK_ACCESS_TOKEN': token, [`${ga.name}.${apiSecret}`]: '' })
})

test('a report is filtered by status and by any text of a line', () => {
  const { elements } = result.report
  const names = (status: Parameters<typeof findElements>[1]['status'], text: string) =>
    findElements(elements, { status, text }).map(({ name }) => name)
  assert.deepEqual(names('needsValue', ''), ['GA4', 'off'])
  assert.deepEqual(names('all', 'missing_VALUE'), ['GA4', 'off'])
  assert.deepEqual(names('mapped', 'GA4').includes('GA4'), false)
  assert.equal(names('all', ' ').length, elements.length)
})
