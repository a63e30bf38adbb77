import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deploymentText, draftText } from './printValues.ts'

const scripts = [
  {
    ...{ scriptId: 'scr_1', name: 'hook', providerId: 'webhook', change: 'added' as const },
    values: [
      { name: 'name', after: 'hook' },
      { name: 'secrets.WEBHOOK_CODE', after: 'a\nb' },
      { name: 'secrets.WEBHOOK_TOKEN', after: 1, isHidden: true },
    ],
  },
  {
    ...{ scriptId: 'scr_2', name: 'demo', providerId: 'eventSink', change: 'changed' as const },
    values: [{ name: 'geoRegions', before: 'US', after: null }],
  },
]
const settings = [{ name: 'gpc', before: false, after: true }]

test('a draft is told field by field, code by its lines and secrets by their version', () => {
  assert.equal(
    draftText({ live: 4, values: { settings, scripts } }),
    `Deployment 4 is live. Saved, but not live:
  ~ settings of the tag
    gpc: false → true
  + hook (webhook)
    name: hook
    secrets.WEBHOOK_CODE: 2 lines
    secrets.WEBHOOK_TOKEN: version 1
  ~ demo (eventSink)
    geoRegions: US → nothing
`,
  )
  assert.equal(draftText({ live: 4, values: { settings: [], scripts: [] } }), 'All saved changes are live.\n')
})

test('a deployment is told with its number and its changes', () => {
  const text = deploymentText({ number: 2, isLive: true, changes: {}, values: { settings, scripts: [] } })
  assert.equal(text, 'number  2\nisLive  true\n  ~ settings of the tag\n    gpc: false → true\n')
})
