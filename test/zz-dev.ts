import { mkdtempSync } from 'node:fs'
import { addPerson, fillWorld, openVendors, vendorEnvironment } from './fake/dashboard.ts'
import { freePort, startAglet } from './fake/aglet.ts'
const vendors = await openVendors()
const aglet = await startAglet({ data: mkdtempSync('/dev/shm/dashdev-'), port: 4900, environment: vendorEnvironment(vendors) })
const world = await fillWorld(aglet, vendors)
await addPerson(world.customer, { name: 'Jane Doe', email: 'jane@shop.example', role: 'owner' })
await addPerson(world.customer, { name: 'Vic Viewer', email: 'vic@shop.example', role: 'viewer' })
console.log('ready', JSON.stringify(world.customer), JSON.stringify(world.scripts))
