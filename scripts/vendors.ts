// Runs the fake vendors of the catalogue on this machine: npm run vendors [-- --port 4100]. See docs/vendors.md.
import { parseArgs } from 'node:util'
import { openVendors } from '../test/vendors/server.ts'

const { values } = parseArgs({ options: { port: { type: 'string', default: '4100' } } })
const port = Number(values.port)
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`--port is ${JSON.stringify(values.port)}: write a number from 0 to 65535.`)
  process.exit(2)
}

try {
  const { url } = await openVendors({ port })
  console.log(`The vendors answer at ${url}. In another window:

  AGLET_VENDORS_URL=${url} npm start

  curl ${url}/                 who is here, and how each can fail
  curl ${url}/received         what came, and what its vendor finds wrong with it
  curl ${url}/force -d '{"vendor": "facebook", "failure": "throttled", "times": 3}'`)
} catch (error) {
  console.error(`The port ${port} cannot be had (${(error as NodeJS.ErrnoException).code}); try another --port.`)
  process.exit(1)
}
