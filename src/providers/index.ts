// written by `npm run providers`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/provider.ts'
import eventSink from './eventSink.ts'
import facebook from './facebook.ts'
import googleAnalytics4 from './googleAnalytics4.ts'

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
  eventSink,
  facebook,
  googleAnalytics4,
}
