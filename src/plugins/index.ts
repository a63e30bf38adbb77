// written by `npm run plugins`
import type { PluginCatalogue } from '#plugin/runPlugins.ts'
import botFilter from './botFilter.ts'
import currencyConversion from './currencyConversion.ts'
import eventRename from './eventRename.ts'
import newReturningCustomer from './newReturningCustomer.ts'

/** The plugins that this build has. */
export const plugins: PluginCatalogue = {
  botFilter,
  currencyConversion,
  eventRename,
  newReturningCustomer,
}
