// An app with Segment's SDK for React Native, with a stand-in for the parts of React Native that the SDK uses.
const Module = require('node:module')

const phone = {
  appName: 'Shop',
  appVersion: '2.1',
  buildNumber: '210',
  bundleId: 'example.shop',
  locale: 'en-US',
  networkType: 'wifi',
  osName: 'Android',
  osVersion: '14',
  screenHeight: 2400,
  screenWidth: 1080,
  screenDensity: 2.625,
  timezone: 'Europe/Berlin',
  manufacturer: 'Google',
  model: 'Pixel 8',
  deviceName: 'shiba',
  deviceId: 'made-by-the-sdk',
  deviceType: 'android',
}
const reactNative = {
  NativeModules: { AnalyticsReactNative: { getContextInfo: async () => phone } },
  NativeEventEmitter: class {},
  AppState: { currentState: 'active', addEventListener: () => ({ remove() {} }) },
  Platform: { OS: 'android', select: (of) => of.android ?? of.default },
}
const stoodIn = { 'react-native': reactNative, react: { createContext: () => ({}), useContext: () => null } }
const load = Module._load
Module._load = (name, ...more) => stoodIn[name] ?? load(name, ...more)

const { createClient } = require('@segment/analytics-react-native')
const [writeKey, host] = process.argv.slice(2)
const url = `https://${host}/v1`
const client = createClient({
  writeKey,
  cdnProxy: url,
  proxy: url,
  useSegmentEndpoints: true,
  trackAppLifecycleEvents: false,
  flushAt: 20,
  flushInterval: 1,
})
const advertising = { advertisingId: 'cdda802e-fb9c-47ad-9866-0794d394c912', adTrackingEnabled: true }

async function main() {
  await client.init()
  await client.context.set({ device: advertising })
  await client.track('Order Completed', { order_id: 'A-1001', total: 59.98, currency: 'EUR' })
  for (let level = 1; level < 100; level++) await client.track('Level Reached', { level })
}
void main()
process.stdin.resume().on('end', () => process.exit())
