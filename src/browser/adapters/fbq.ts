import type { Adapter, ReadCall } from './adapter.ts'

/** Meta's pixel: https://developers.facebook.com/docs/meta-pixel/reference */
const fbq: Adapter = {
  fields: 'order_id=orderId search_string=search content_ids=ids',
  items: '',
  person:
    'em=email ph=phone fn=firstName ln=lastName ct=city st=state zp=zip country=country ge=gender db=dateOfBirth external_id=customerId',
  start(host) {
    const read: ReadCall = (call) => {
      const [method, first, second] = call
      if (method === 'init' || first === 'userData') host.person(second)
      const [isTrack, single] = /^track(Single)?(Custom)?$/.exec(`${method}`) ?? []
      if (!isTrack) return undefined
      const at = single ? 2 : 1 // after the pixel id
      return host.track(call, { name: call[at], data: call[at + 1], idAt: at + 2, idKey: 'eventID' })
    }
    host.watchFunction(['fbq', '_fbq'], 'queue', read)
  },
}

export default fbq
