import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codesOf, deps, elementNamed, options, scriptNamed, written } from '../import.fixture.ts'
import {
  client,
  constant,
  eventData,
  exported,
  onEvent,
  tag,
  template,
  transformation,
  trigger,
  variable,
} from './container.fixture.ts'
import { importGtm } from './importGtm.ts'

const facebook = template('5', 'Facebook Conversion API', { gallery: 'stape-io/facebook-tag' })
const pixel = { pixelId: '{{pixel}}', accessToken: '{{token}}', inheritEventName: 'override', eventName: 'standard' }
const constants = [constant('pixel', '1234567890'), constant('token', 'EAAB-secret-token-1234')]

const shop = (lists: Parameters<typeof exported>[0]) =>
  importGtm({ server: exported({ client: [client('GA4', 'gaaw_client')], ...lists }) }, options, deps)

test('one tag for each event of a vendor becomes one channel with the events of all', () => {
  const result = shop({
    customTemplate: [facebook],
    variable: constants,
    trigger: [onEvent('purchase'), onEvent('add_to_cart'), onEvent('form_sent')],
    tag: [
      tag('FB purchase', 'cvt_9_5', { ...pixel, eventNameStandard: 'Purchase' }, { firing: ['purchase'] }),
      tag('FB cart', 'cvt_9_5', { ...pixel, eventNameStandard: 'AddToCart' }, { firing: ['add_to_cart'] }),
      tag('FB lead', 'cvt_9_5', { ...pixel, eventNameStandard: 'Lead' }, { firing: ['form_sent'] }),
    ],
  })
  assert.deepEqual(scriptNamed(result, 'Meta'), {
    name: 'Meta',
    providerId: 'facebook',
    filter: { eventName: { $in: ['Purchase', 'AddToCart', 'Lead'] } },
    // The container sent no event that arrives as Lead.
    rename: { form_sent: 'Lead', Lead: null },
    secrets: {
      FACEBOOK_PIXEL_ID: '1234567890',
      FACEBOOK_ACCESS_TOKEN: { file: 'secrets.json', key: 'Meta.FACEBOOK_ACCESS_TOKEN' },
    },
  })
  assert.deepEqual(result.configuration.tags[0].sources, ['ga4'])
  assert.deepEqual(result.secrets, { 'Meta.FACEBOOK_ACCESS_TOKEN': 'EAAB-secret-token-1234' })
  assert.deepEqual(elementNamed(result, 'FB lead').channels, ['Meta'])
})

test('the vendor of a template is found by repository, id in the gallery, display name or parameters', () => {
  const parameters = ['inheritEventName', 'generateFbp', 'pixelId', 'accessToken']
  const forms = [
    template('5', 'Renamed', { gallery: 'Stape-IO/Facebook-Tag', displayName: 'x' }),
    template('5', 'Renamed', { gallery: 'a/b', galleryId: '5TP8W', displayName: 'x' }),
    template('5', 'Copied', { displayName: 'Facebook Conversion API' }),
    template('5', 'Copied', { displayName: 'Ours', parameters }),
  ]
  for (const [at, form] of forms.entries()) {
    const type = at === 1 ? 'cvt_5TP8W' : 'cvt_9_5'
    const result = shop({
      customTemplate: [form],
      variable: constants,
      trigger: [onEvent('purchase')],
      tag: [tag('FB', type, pixel, { firing: ['purchase'] })],
    })
    assert.equal(scriptNamed(result, 'Meta').providerId, 'facebook', `form ${at}`)
    assert.equal(elementNamed(result, form.name).status, 'mapped')
  }
})

test('two accounts of a vendor are two channels, and one event with two names too', () => {
  const result = shop({
    customTemplate: [facebook],
    trigger: [onEvent('purchase')],
    tag: ['11111', '22222'].map((pixelId) =>
      tag(pixelId, 'cvt_9_5', { pixelId, accessToken: `token-of-${pixelId}` }, { firing: ['purchase'] }),
    ),
  })
  assert.deepEqual(
    result.configuration.tags[0].scripts.map(({ name }) => name),
    ['Meta 11111', 'Meta 22222'],
  )
  const twice = shop({
    customTemplate: [facebook],
    variable: constants,
    trigger: [onEvent('purchase')],
    tag: ['Purchase', 'Subscribe'].map((name) =>
      tag(name, 'cvt_9_5', { ...pixel, eventNameStandard: name }, { firing: ['purchase'] }),
    ),
  })
  assert.deepEqual(
    twice.configuration.tags[0].scripts.map(({ rename }) => rename),
    [undefined, { Purchase: 'Subscribe', Subscribe: null }],
  )
})

const withTrigger = (condition: Parameters<typeof trigger>[2], more: object = {}) => {
  const result = shop({
    customTemplate: [facebook],
    variable: [
      ...constants,
      eventData('value'),
      eventData('page_location'),
      eventData('user_data.email_address'),
      eventData('is_new'),
    ],
    trigger: [trigger('t', 'CUSTOM_EVENT', ['EQUALS', '{{_event}}', 'purchase'], condition)],
    tag: [tag('FB', 'cvt_9_5', pixel, { firing: ['t'] })],
    ...more,
  })
  written(result)
  return {
    filter: scriptNamed(result, 'Meta').filter,
    isActive: result.inactive.length === 0,
    codes: codesOf(result, 'FB'),
  }
}

test('each condition of a trigger is a condition of the filter', () => {
  const purchase = { eventName: 'Purchase' }
  const filterOf = (condition: Parameters<typeof trigger>[2]) => withTrigger(condition).filter
  const value = (operation: unknown) => ({ ...purchase, data: { value: operation } })
  assert.deepEqual(filterOf(['GREATER', '{{ed value}}', '10']), value({ $gt: 10 }))
  assert.deepEqual(filterOf(['GREATER_OR_EQUALS', '{{ed value}}', '10']), value({ $gte: 10 }))
  assert.deepEqual(filterOf(['LESS', '{{ed value}}', '9.5']), value({ $lt: 9.5 }))
  assert.deepEqual(filterOf(['lessOrEquals', '{{ed value}}', '9.5']), value({ $lte: 9.5 }))
  assert.deepEqual(filterOf(['EQUALS', '{{ed is_new}}', 'true']), {
    ...purchase,
    data: { is_new: { $in: [true, 'true'] } },
  })
  const page = (operation: unknown) => ({ ...purchase, pageUrl: operation })
  assert.deepEqual(filterOf(['CONTAINS', '{{ed page_location}}', '/kasse']), page({ $contains: '/kasse' }))
  assert.deepEqual(filterOf(['STARTS_WITH', '{{ed page_location}}', 'https://a']), page({ $startsWith: 'https://a' }))
  assert.deepEqual(filterOf(['ENDS_WITH', '{{ed page_location}}', '/b']), page({ $endsWith: '/b' }))
  assert.deepEqual(
    filterOf(['MATCH_REGEX', '{{ed page_location}}', '^https://[ab]']),
    page({ $regex: '^https://[ab]' }),
  )
  assert.deepEqual(filterOf(['CONTAINS', '{{ed page_location}}', 'A.b', 'ignore_case']), page({ $regex: '(?i)A\\.b' }))
  assert.deepEqual(filterOf(['CONTAINS', '{{ed page_location}}', 'x', 'negate']), {
    ...purchase,
    $not: { pageUrl: { $contains: 'x' } },
  })
  assert.deepEqual(filterOf(['EQUALS', '{{ed user_data.email_address}}', 'undefined', 'negate']), {
    ...purchase,
    $not: { userEmail: { $exist: false } },
  })
  assert.deepEqual(filterOf(['CONTAINS', '{{Client Name}}', 'GA4']), purchase, 'the only client')
})

test('a client is a source, where the container has several', () => {
  const clients = {
    client: [client('GA4', 'gaaw_client'), client('Data Client', 'cvt_9_7')],
    customTemplate: [facebook, template('7', 'Data Client', {})],
  }
  assert.deepEqual(withTrigger(['EQUALS', '{{Client Name}}', 'GA4'], clients).filter, {
    eventName: 'Purchase',
    source: { name: 'ga4' },
  })
  assert.deepEqual(withTrigger(['CONTAINS', '{{Client Name}}', 'Data'], clients).filter, {
    eventName: 'Purchase',
    source: { name: { $exist: false } },
  })
})

test('a condition that no rule can express is told, and its events are not sent', () => {
  for (const condition of [
    ['MATCH_REGEX', '{{ed page_location}}', '(?<=a)b'],
    ['CSS_SELECTOR', '{{ed page_location}}', '.a'],
    ['EQUALS', '{{ed user_data.email_address}}', 'ada@example.com'],
    ['EQUALS', '{{no such}}', 'a'],
  ] as const) {
    const { isActive, codes } = withTrigger(condition)
    assert.equal(isActive, false, condition[0])
    assert.ok(
      codes.some((code) => ['CONDITION_NOT_EXPRESSIBLE', 'MISSING_REFERENCE'].includes(code)),
      condition.join(' '),
    )
  }
})

test('a blocking trigger takes events away; one that cannot be written keeps the channel off', () => {
  const lists = (blocking: Parameters<typeof trigger>[2]) =>
    shop({
      customTemplate: [facebook],
      variable: [...constants, eventData('page_location')],
      trigger: [onEvent('purchase'), trigger('stop', 'CUSTOM_EVENT', ['MATCH_REGEX', '{{_event}}', '.*'], blocking)],
      tag: [tag('FB', 'cvt_9_5', pixel, { firing: ['purchase'], blocking: ['stop'] })],
    })
  const blocked = lists(['CONTAINS', '{{ed page_location}}', '/intern'])
  assert.deepEqual(scriptNamed(blocked, 'Meta').filter, {
    eventName: 'Purchase',
    $not: { pageUrl: { $contains: '/intern' } },
  })
  const wider = lists(['MATCH_REGEX', '{{ed page_location}}', '(?!a)'])
  assert.deepEqual([wider.configuration.tags[0].scripts, wider.inactive.length], [[], 1])
  assert.match(written(wider).yaml, /\n {6}# - name: Meta\n/)
})

test('an event name by a list of words, a part or a table reaches the events under their names here', () => {
  const names = (condition: Parameters<typeof trigger>[2], parameters: Parameters<typeof tag>[2] = pixel) => {
    const rows = [
      { key: 'purchase', value: 'Purchase' },
      { key: 'form_sent', value: 'Lead' },
    ]
    return scriptNamed(
      shop({
        customTemplate: [facebook],
        variable: [...constants, variable('table', 'smm', { input: '{{Event Name}}', map: rows })],
        trigger: [trigger('t', 'CUSTOM_EVENT', condition)],
        tag: [tag('FB', 'cvt_9_5', parameters, { firing: ['t'] })],
      }),
      'Meta',
    )
  }
  assert.deepEqual(names(['MATCH_REGEX', '{{_event}}', '^(purchase|add_to_cart|own)$']).filter, {
    eventName: { $in: ['Purchase', 'AddToCart', 'own'] },
  })
  assert.deepEqual(names(['STARTS_WITH', '{{_event}}', 'add_to']).filter, {
    $or: [{ eventName: 'AddToCart' }, { eventName: { $startsWith: 'add_to' } }],
  })
  const byTable = names(['MATCH_REGEX', '{{_event}}', '^(purchase|form_sent)$'], {
    ...pixel,
    eventName: 'standard',
    eventNameStandard: '{{table}}',
  })
  assert.deepEqual(byTable.rename, { form_sent: 'Lead', Lead: null })
})

test('tables of values become map rules where events have them elsewhere', () => {
  const result = shop({
    customTemplate: [facebook],
    variable: [
      ...constants,
      eventData('value'),
      eventData('margin'),
      eventData('user_data.email_address'),
      variable('ip', 'rh', { headerName: 'x-real-ip' }),
    ],
    trigger: [onEvent('purchase')],
    tag: [
      tag(
        'FB',
        'cvt_9_5',
        {
          ...pixel,
          customDataList: [
            { name: 'value', value: '{{ed margin}}' },
            { name: 'currency', value: 'EUR' },
            { name: 'content_ids', value: '{{ed content_ids}}' },
          ],
          userDataList: [
            { name: 'em', value: '{{ed user_data.email_address}}' },
            { name: 'client_ip_address', value: '{{ip}}' },
          ],
        },
        { firing: ['purchase'], consent: ['ad_storage'] },
      ),
    ],
  })
  assert.deepEqual(scriptNamed(result, 'Meta').map, [
    { set: 'data.value', from: 'data.margin' },
    { set: 'data.currency', value: 'EUR' },
  ])
  assert.equal(scriptNamed(result, 'Meta').consentCategory, 'advertising')
  assert.equal(elementNamed(result, 'FB').status, 'mapped')
})

test('transformations are map rules of the tags that they affect', () => {
  const result = shop({
    customTemplate: [facebook],
    variable: constants,
    trigger: [onEvent('purchase')],
    tag: [
      tag('FB', 'cvt_9_5', pixel, { firing: ['purchase'] }),
      tag('GA', 'sgtmgaaw', { measurementId: 'G-ABC123' }, { firing: ['purchase'] }),
    ],
    transformation: [
      transformation('add', 'tf_augment_event', {
        augmentEventTable: [{ paramName: 'currency', paramValue: 'EUR' }],
        affectedTags: [{ tagReference: 'FB' }],
        allTagsExcept: 'false',
      }),
      transformation('drop', 'tf_exclude_params', {
        excludeParams: [{ paramName: 'coupon_code' }],
        affectedTags: [{ tagReference: 'FB' }],
        allTagsExcept: 'true',
      }),
      transformation('allow', 'tf_allow_params', {
        allowParams: [{ paramName: 'value' }],
        affectedTags: [{ tagReference: 'FB' }],
      }),
    ],
  })
  assert.deepEqual(scriptNamed(result, 'Meta').map, [{ set: 'data.currency', value: 'EUR' }])
  assert.deepEqual(scriptNamed(result, 'Google Analytics 4').map, [{ remove: 'data.coupon_code' }])
  assert.equal(elementNamed(result, 'allow').status, 'notMapped')
  assert.ok(codesOf(result, 'FB').includes('CONDITION_NOT_EXPRESSIBLE'))
})

test('each built-in type of tag has its channel, or says why it has none', () => {
  const all = { firing: ['purchase'] }
  const result = shop({
    trigger: [onEvent('purchase'), trigger('group', 'TRIGGER_GROUP'), trigger('always', 'ALWAYS')],
    tag: [
      tag('ga4', 'sgtmgaaw', { measurementId: 'G-ABC123' }, { firing: ['always'] }),
      tag('ads', 'sgtmadsct', { conversionId: '123', conversionLabel: 'abc' }, all),
      tag('remarketing', 'sgtmadsremarket', { conversionId: '123' }, all),
      tag('linker', 'sgtmadscl', {}, all),
      tag('floodlight', 'sgtmfls', { advertiserId: '777', groupTag: 'g', activityTag: 'a' }, all),
      tag('unknown', 'cvt_9_404', {}, all),
      tag('grouped', 'sgtmgaaw', { measurementId: 'G-XYZ' }, { firing: ['group'] }),
      tag(
        'paused',
        'sgtmgaaw',
        { measurementId: 'G-OFF' },
        { ...all, more: { paused: true, scheduleStartMs: '1', setupTag: [{ tagName: 'ga4' }] } },
      ),
    ],
  })
  assert.equal(scriptNamed(result, 'Google Analytics 4 G-ABC123').filter, undefined)
  assert.equal(scriptNamed(result, 'Campaign Manager 360 (Floodlight)').secrets?.FLOODLIGHT_CONFIGURATION_ID, '777')
  assert.match(
    elementNamed(result, 'ads')
      .notes.map(({ text }) => text)
      .join(' '),
    /Purchase: find the id .* conversionLabel abc/,
  )
  assert.deepEqual(codesOf(result, 'remarketing'), ['NO_API'])
  assert.equal(elementNamed(result, 'linker').status, 'mapped')
  assert.deepEqual(codesOf(result, 'unknown'), ['MISSING_REFERENCE'])
  assert.ok(codesOf(result, 'grouped').includes('CONDITION_NOT_EXPRESSIBLE'))
  assert.ok(['SCHEDULE', 'SEQUENCE'].every((code) => codesOf(result, 'paused').includes(code as never)))
  assert.deepEqual(
    result.inactive.map(({ name }) => name),
    ['Google Analytics 4 G-XYZ', 'Google Analytics 4 G-OFF'],
  )
})

test('a web container names the events of the data layer, and offers channels for its pixels', () => {
  const web = exported(
    {
      variable: [variable('dl value', 'v', { name: 'ecommerce.value' }), constant('px', '9876543210')],
      trigger: [onEvent('purchase_done'), trigger('click', 'LINK_CLICK')],
      tag: [
        tag('base', 'googtag', { tagId: 'G-WEB123' }),
        tag('meta', 'html', { html: "<script>fbq('init', '{{px}}'); fbq('track', 'PageView')</script>" }),
        tag('hotjar', 'hjtc', { hotjar_site_id: '1' }),
        tag('old', 'ua', {}),
        tag('own', 'html', { html: '<script>alert(1)</script>' }),
      ],
    },
    'WEB',
  )
  const result = importGtm({ server: web }, options, deps)
  assert.equal(scriptNamed(result, 'Meta').secrets?.FACEBOOK_PIXEL_ID, '9876543210')
  assert.equal(scriptNamed(result, 'Google Analytics 4').secrets?.GOOGLE_ANALYTICS_4_MEASUREMENT_ID, 'G-WEB123')
  assert.deepEqual(codesOf(result, 'own'), ['CUSTOM_CODE'])
  assert.deepEqual(codesOf(result, 'old'), ['ENDED_PRODUCT'])
  assert.match(result.report.steps.join('\n'), /purchase_done[\s\S]*ecommerce\.value/)
})
