/** What an operator may set: environment variable `AGLET_<NAME>` or flag `--name` (decisions.md, Running it). */
export type Settings = {
  port: number
  host: string
  /** the data directory, as given */
  data: string
  /** scheme, host and port that callers see, without a path */
  origin: string
  tagOrigin: string
  rootKey?: string
  geoFile?: string
  trustProxy: string[]
  brand: string
  outboundPorts: number[]
  allowPrivateDestinations: boolean
  vendorsUrl?: string
  role: 'all' | 'control' | 'edge' | 'worker'
}
