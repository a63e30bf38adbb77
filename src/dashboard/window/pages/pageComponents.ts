import type { ComponentType } from 'preact'
import lazy from 'preact-iso/lazy'
import type { PageId } from '#dashboard/addresses.ts'

/** The component of each address, loaded with its page. */
export const pageComponents: Record<PageId, ComponentType> = {
  me: lazy(() => import('./own/mePage.tsx')),
  operator: lazy(() => import('./own/operatorPage.tsx')),
  team: lazy(() => import('./team/teamPage.tsx')),
  overview: lazy(() => import('./overview/overviewPage.tsx')),
  live: lazy(() => import('./live/livePage.tsx')),
  events: lazy(() => import('./events/eventsPage.tsx')),
  event: lazy(() => import('./events/eventPage.tsx')),
  deliveries: lazy(() => import('./deliveries/deliveriesPage.tsx')),
  channels: lazy(() => import('./channels/channelsPage.tsx')),
  newChannel: lazy(() => import('./channels/newChannelPage.tsx')),
  channel: lazy(() => import('./channels/channelPage.tsx')),
  editChannel: lazy(() => import('./channels/editChannelPage.tsx')),
  install: lazy(() => import('./install/installPage.tsx')),
  moveIn: lazy(() => import('./moveIn/moveInPage.tsx')),
  newTag: lazy(() => import('./settings/newTagPage.tsx')),
  replays: lazy(() => import('./replays/replaysPage.tsx')),
  replay: lazy(() => import('./replays/replayPage.tsx')),
  deployments: lazy(() => import('./deployments/deploymentsPage.tsx')),
  deployment: lazy(() => import('./deployments/deploymentPage.tsx')),
  playground: lazy(() => import('./playground/playgroundPage.tsx')),
  consent: lazy(() => import('./consent/consentPage.tsx')),
  plugins: lazy(() => import('./plugins/pluginsPage.tsx')),
  visitors: lazy(() => import('./visitors/visitorsPage.tsx')),
  visitor: lazy(() => import('./visitors/visitorPage.tsx')),
  settings: lazy(() => import('./settings/settingsPage.tsx')),
  members: lazy(() => import('./members/membersPage.tsx')),
  applications: lazy(() => import('./applications/applicationsPage.tsx')),
  hooks: lazy(() => import('./hooks/hooksPage.tsx')),
  alerts: lazy(() => import('./hooks/alertsPage.tsx')),
  policies: lazy(() => import('./govern/policiesPage.tsx')),
  audit: lazy(() => import('./govern/auditPage.tsx')),
  teamSettings: lazy(() => import('./settings/teamSettingsPage.tsx')),
}
