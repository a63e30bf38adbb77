import type { AppFacts } from '#provider/form/appFacts.ts'

/**
 * The field `app_data` of an app event. The 16 values of `extinfo` have fixed positions; unknown values are empty.
 * https://developers.facebook.com/documentation/ads-commerce/conversions-api/parameters/app-data
 */
export function metaAppData(app: AppFacts) {
  const {
    id = '',
    version = '',
    build = '',
    osVersion = '',
    model = '',
    locale = '',
    timezone = '',
    carrier = '',
  } = app
  const { screenWidth = '', screenHeight = '', screenDensity = '' } = app
  const generation = app.platform === 'ios' ? 'i2' : 'a2'
  const screen = [screenWidth, screenHeight, screenDensity]
  return {
    advertiser_tracking_enabled: app.adTracking ? 1 : 0,
    // Events of a person who refuses advertising are not sent at all.
    application_tracking_enabled: 1,
    extinfo: [
      ...[generation, id, version, build, osVersion, model, locale, '', carrier],
      ...screen,
      ...['', '', ''],
      timezone,
    ],
  }
}
