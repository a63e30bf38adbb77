/** The screenshots of the pages that manage a tag, a team and the server, and the data that they show. */
import type { Page } from 'playwright-core'
import { call, operate, until } from '../test/fake/aglet.ts'
import type { DashboardFixture } from '../test/fake/dashboard.ts'
import { pathsOf } from '../test/fake/dashboardBrowser.ts'
import { operator, type Shot, viewer } from './shots.ts'

type Ids = { replayId: string; userId: string }

const code = `async tag({ event, user, secrets, fetch, logger }) {
  if (event.eventName !== 'Purchase') return
  const answer = await fetch('https://crm.example.com/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order: event.data.orderId, email: user.email, value: event.data.value }),
  })
  logger.log('The CRM answered', answer.status)
}
`

/** Creates the data that the pages show: plugins, a draft, a replay, people, an application, a hook, policies. */
export async function fillManagement({ aglet, customer, scripts }: DashboardFixture): Promise<Ids> {
  const { tagId } = customer
  const plugins = [
    { plugin: 'newReturningCustomer' },
    { plugin: 'eventRename', settings: { names: { AddToBasket: 'AddToCart', Order: 'Purchase' } } },
  ]
  await call(customer, 'PUT', `/script/${scripts.tiktok}`, {
    ...{ name: 'TikTok', providerId: 'tiktok', tagId, geoRegions: 'US,CA,MX', shouldDeploy: false },
  })
  const from = Date.now() - 3_600_000
  const filter = { from, to: Date.now() + 60_000, status: ['delivered'], eventNames: ['Search'], force: true }
  const { body: replay } = await call<{ replayId: string }>(customer, 'POST', `/tag/${tagId}/replay`, filter)
  await until(async () => {
    const { body } = await call<{ state: string }>(customer, 'GET', `/tag/${tagId}/replay/${replay.replayId}`)
    return body.state === 'done'
  })
  await call(customer, 'PUT', `/tag/${tagId}`, { plugins })
  await call(customer, 'POST', `/script/${scripts.ga}/pause`)
  await call(customer, 'POST', '/invitation', { role: 'editor' })
  await call(customer, 'POST', '/application', { name: 'Warehouse job', scopes: ['event:read', 'tag:read'] })
  await call(customer, 'POST', '/hook', { kind: 'alert', url: 'https://ops.shop.example/aglet' })
  for (const [type, version] of [
    ['TERMS_AND_CONDITIONS', '2026-11'],
    ['PRIVACY_POLICY', '3'],
  ])
    await operate(aglet, 'policy publish', 'production', {
      type,
      version,
      required: false,
      url: `https://aglet.example/${version}`,
    })
  await call(customer, 'POST', '/policy', { policyType: 'PRIVACY_POLICY', version: '3' })
  const { body: found } = await call<{ users: { userId: string }[] }>(customer, 'POST', `/tag/${tagId}/find-user`, {
    email: 'visitor3@example.com',
  })
  return { replayId: replay.replayId, userId: found.users[0]?.userId ?? 'usr_unknown' }
}

/** Opens a button's dialog, and waits for it. */
const open = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click()
  await page.locator('dialog[open]').waitFor()
}

function tagShots({ scripts, ...fixture }: DashboardFixture, { replayId, userId }: Ids): Shot[] {
  const { tag } = pathsOf(fixture)
  return [
    { name: 'replays', path: `${tag}/replays`, isWhole: true },
    {
      name: 'replays-counted',
      path: `${tag}/replays?status=delivered`,
      async before(page) {
        await page.getByRole('button', { name: 'Count' }).click()
        await page.getByText(/deliver(y|ies) match/).waitFor()
      },
    },
    { name: 'replay', path: `${tag}/replays/${replayId}` },
    { name: 'deployments', path: `${tag}/deployments` },
    { name: 'deployment', path: `${tag}/deployments/6`, isWhole: true },
    {
      name: 'playground',
      path: `${tag}/playground`,
      isWhole: true,
      async before(page) {
        await page.locator('.cm-content, [contenteditable=true]').first().click()
        await page.keyboard.press('Control+a')
        await page.keyboard.insertText(code)
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await page.getByText('The CRM answered 200').waitFor()
      },
    },
    { name: 'consent', path: `${tag}/consent`, isWhole: true },
    { name: 'regions', path: `${tag}/consent`, before: open('Change the regions of TikTok') },
    {
      name: 'plugins',
      path: `${tag}/plugins`,
      isWhole: true,
      async before(page) {
        await page.getByRole('button', { name: 'Try', exact: true }).click()
        await page.getByRole('group', { name: 'The event after the plugins' }).waitFor()
      },
    },
    { name: 'plugins-viewer', path: `${tag}/plugins`, as: viewer },
    {
      name: 'visitors',
      path: `${tag}/visitors`,
      async before(page) {
        await page.getByLabel('E-mail').fill('visitor3@example.com')
        await page.getByRole('button', { name: 'Find' }).click()
        await page.getByRole('table', { name: 'Visitors' }).waitFor()
      },
    },
    { name: 'visitor', path: `${tag}/visitors/${userId}`, isWhole: true },
    { name: 'visitor-erase', path: `${tag}/visitors/${userId}`, before: open('Erase') },
    { name: 'settings', path: `${tag}/settings`, isWhole: true },
    {
      name: 'shop-connect',
      path: `${tag}/settings`,
      async before(page) {
        await page
          .getByRole('row', { name: /^Shopify/ })
          .getByRole('button', { name: 'Connect' })
          .click()
        await page.getByLabel('Name of the shop').fill('potter.myshopify.com')
      },
    },
    { name: 'channel-paused', path: `${tag}/channels/${scripts.ga}` },
  ]
}

function teamShots(fixture: DashboardFixture): Shot[] {
  const { team } = pathsOf(fixture)
  return [
    { name: 'members', path: `${team}/members` },
    { name: 'members-invite', path: `${team}/members`, before: open('Invite') },
    { name: 'members-viewer', path: `${team}/members`, as: viewer },
    { name: 'applications', path: `${team}/applications` },
    { name: 'applications-register', path: `${team}/applications`, before: open('Register an application') },
    { name: 'hooks', path: `${team}/hooks` },
    { name: 'alerts', path: `${team}/alerts` },
    { name: 'policies', path: `${team}/policies` },
    { name: 'audit', path: `${team}/audit` },
    { name: 'audit-details', path: `${team}/audit?what=updateTag`, before: open('Show what changed') },
    { name: 'team-settings', path: `${team}/settings` },
    { name: 'new-tag', path: `${team}/tags/new` },
    { name: 'own', path: '/dashboard/me', isWhole: true },
    { name: 'operator', path: '/dashboard/operator', as: operator, isWhole: true },
  ]
}

/** Pages of a tag without data. */
export function emptyManagementShots(empty: Pick<DashboardFixture, 'customer'>, newcomer: string): Shot[] {
  const { team, tag } = pathsOf(empty)
  const ofTag = ['replays', 'deployments', 'consent', 'plugins', 'visitors', 'deliveries']
  return [
    ...ofTag.map((name) => ({ name: `${name}-empty`, path: `${tag}/${name}`, as: newcomer })),
    ...['hooks', 'alerts', 'applications'].map((name) => ({
      name: `${name}-empty`,
      path: `${team}/${name}`,
      as: newcomer,
    })),
  ]
}

export const managementShots = (fixture: DashboardFixture, ids: Ids): Shot[] => [
  ...tagShots(fixture, ids),
  ...teamShots(fixture),
]
