/** SHA-256 digests in hex of the values of `ada`, in the forms that vendors require. For examples only. */
export const adaDigests = {
  /** `ada.lovelace@gmail.com` */
  email: '894ac26ea616dec861df81a6efb2ddfc30c3f1cb72b219a17242d8244e66c125',
  /** `adalovelace@gmail.com` */
  canonicalMailbox: 'cd98a25152ad884b29e524ea5d3d8d35615ed0afbbc5ea3a6d4215572b0b2bde',
  /** `491701234567` */
  phoneDigits: '8b47a52ed04d068c3a9c5632b98cec18780a9f9f4099d4f8afe233970ce116fe',
  /** `+491701234567` */
  phoneE164: 'b4267a2234e2072fa4d2e8d89fbe727c50fc414731d6ecacc2ed3d00f05038d1',
  firstName: 'fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029',
  lastName: 'fb1e7ec987523d2cb9e022cec1d6ae7c99dc46edfae4fe51254025fe4bea571f',
  /** `f` */
  genderLetter: '252f10c83610ebca1a059c0bae8255eba2f95be4d1d7bcfa89d7248a82d9f111',
  /** `19901210` */
  birthDate: '1218be09d200795c825ee23e4cfc39c5d786e4dc453ad4a55e833430448d615d',
  /** `1990-12-10` */
  isoBirthDate: '26783a0953448b8563e8e74b8914685e84fc32e7a9931b3aafed5538e514a63f',
  city: '6089854c94ca5454b76be6752c562901a985f64c9a946f62976aeab593b83161',
  state: 'd56d0ff69b62792a00a361fbf6e02e2a634a7a8da1c3e49d59e71e0f19c27875',
  /** `w1a1aa` */
  zipCode: '7d3fac9e9f3558608abd0966d94a166886ddff096f87b08d86b9eb32b6a90764',
  /** `w1a 1aa` */
  zipWithSpace: 'be6575b466de529b1424f6e3c025186aa85c07ec38614d6961c279ce41735e37',
  /** `gb` */
  country: '0b407281768f0e833afef47ed464b6571d01ca4d53c12ce5c51d1462f4ad6677',
  /** `customer-1` */
  customerId: 'e83f10dcd2c68747c3f3ba14a54258d5c1843a8d75b0f5cb52c6f3df052a72d1',
  /** `usr_1`, of a visitor without a customer id */
  userId: 'ac9852aff2e92a734c6c3f72ac9270f1d0661639b6080ee5e964182d0181a7a1',
}
