import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Client } from '#contract/client.ts'
import type { OperationId } from '#contract/operations.ts'
import { slackUrl } from '../../../test/fake/alertCases.ts'
import { callControl, makeCustomer, openTestControl } from '../../../test/fake/testControl.ts'
import { applyAlerts, countAlertChanges, exportAlerts, planAlerts } from './alertConfig.ts'

const control = await openTestControl()
after(control.close)

test('contact points and rules of a file are applied once, and pulled as they were written', async () => {
  const customer = await makeCustomer(control)
  const api = new Proxy({} as Client, {
    get:
      (_, id: OperationId) =>
      async (asked: { name?: string; body?: object; limit?: number } = {}) => {
        const { body, ...values } = asked
        const answer = await callControl(control, id, customer, { values, ...(body && { body }) })
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
        return answer.body
      },
  })
  const { tags } = await api.readMe()
  const config = {
    contactPoints: [{ name: 'Ops', kind: 'slack' as const, language: 'de' as const, url: { env: 'OPS_ALERTS' } }],
    alerts: [{ name: 'Stopped', kind: 'channelStopped' as const, tag: tags[0]!.name, to: ['Ops'] }],
  }
  const context = { env: { OPS_ALERTS: slackUrl }, folder: '.' }
  const plan = await planAlerts(config, { tags, context }, api)
  assert.equal(countAlertChanges(plan), 2)
  await applyAlerts(plan, context, api)
  assert.equal(countAlertChanges(await planAlerts(config, { tags, context }, api)), 0)
  assert.equal(countAlertChanges(await planAlerts(config, { tags, context, secrets: true }, api)), 1)
  assert.deepEqual(await exportAlerts(tags, api), config)
  const inEnglish = { contactPoints: [{ ...config.contactPoints[0]!, language: 'en' as const }] }
  assert.equal(countAlertChanges(await planAlerts(inEnglish, { tags, context }, api)), 1)

  const none = { tags, context: { env: {}, folder: '.' }, secrets: true }
  const [stopped] = config.alerts
  await assert.rejects(planAlerts(config, none, api), /contact point Ops/)
  const toNobody = { alerts: [{ ...stopped!, to: ['Nobody'] }] }
  await assert.rejects(
    planAlerts(toNobody, { tags, context }, api),
    /alert rule Stopped: contact point Nobody not found/,
  )
  const ofNoTag = { alerts: [{ ...stopped!, tag: 'Outlet' }] }
  await assert.rejects(planAlerts(ofNoTag, { tags, context }, api), /alert rule Stopped: tag Outlet not found/)
  const ofNewTag = { ...ofNoTag, tags: [{ name: 'Outlet' }] }
  assert.equal(countAlertChanges(await planAlerts(ofNewTag, { tags, context }, api)), 1)
})
