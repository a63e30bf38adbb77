/** The ids of the plugins of this build. */
export const pluginIds = ['botFilter', 'currencyConversion', 'eventRename', 'newReturningCustomer'] as const
