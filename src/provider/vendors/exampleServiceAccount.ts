import { createPrivateKey } from 'node:crypto'

/** A key for examples only, too short for any real use. */
const exampleKey = {
  kty: 'RSA',
  n: 'zP0a0meDxxFPDW7FGaQqS1wZkIEtpUtULlf_1OpoA4Z3goYayhD2m9gb4-fPsUN_-YWBBH1IJJDIGiXQigwOPQ',
  e: 'AQAB',
  d: 'Qkz2-OisMZ3CkNir_WAgoeE3D4sIhXb40kh6IZZzb_fgJ4EmBHEMrkrSnS29OtNDmFbbCTrHYceLBPb02Wh3wQ',
  p: '-46_mJnoCu4SPPv7Mlpns2AsCf42PZccCGWedO2TaBE',
  q: '0JvTY3sV-2xecWDDp-yV5DPfHlpTKMl-HHCSG9nzz20',
  dp: 'cPvFTAncMYSKBn_6a7w1FVidjwNxYypKee8CQ2wtJ7E',
  dq: 'VkE4JJgOPMlQO50BCXv_dj4kcU5zuBeoN2YsY6u47fk',
  qi: 'bnSNUtVSi0kRjfIJAJxHNs6wioWKBuZ4nk9ZXlgrA1Q',
}

/** A service account key file in Google's format, for examples. */
export const exampleServiceAccount = JSON.stringify({
  type: 'service_account',
  client_email: 'aglet@project.iam.gserviceaccount.com',
  private_key: createPrivateKey({ key: exampleKey, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }),
  token_uri: 'https://somewhere.example/token',
})
