/** `d.example.com` of the Host header `D.example.com.:443`; empty where there is none. */
export const hostName = (host = ''): string => host.replace(/\.?(:\d*)?$/, '').toLowerCase()
