import Fastify from 'fastify'

/** The baseline of the control API: Fastify that parses the JSON and answers the same body, and does nothing else. */
const app = Fastify()
const script = JSON.parse(process.argv[3]!) as object
app.get('/script/:scriptId', async () => script)
app.post('/script', async () => ({ scriptId: 'scr_00000000000000000000000000' }))
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' })
