/**
 * Events other than the standard events for which many vendors have a name, each with its synonyms. Case, spaces, `_`,
 * `-` and `.` make no difference. A provider that lists one sends it under the vendor's name; for any other provider it
 * is a custom event.
 */
export const wellKnownEvents = {
  AddToWishlist: ['Product Added to Wishlist', 'Added to Wishlist', 'Wishlist Product Added', 'Wishlist Add'],
  CompleteRegistration: [
    'sign_up',
    'Signed Up',
    'User Signed Up',
    'Registration',
    'Register',
    'Registered',
    'User Registered',
    'Registration Completed',
    'Account Created',
    'Create Account',
  ],
  StartTrial: ['Trial Started', 'Started Trial', 'Free Trial Started'],
  Contact: ['Contacted', 'Contact Us'],
  Schedule: ['Scheduled', 'Appointment Scheduled', 'Appointment Booked', 'Book Appointment', 'Schedule Appointment'],
  SubmitApplication: ['Application Submitted', 'Submitted Application'],
  FindLocation: ['Location Found', 'Store Search', 'Find Store'],
  CustomizeProduct: ['Product Customized', 'Customise Product'],
  Donate: ['Donation', 'Donated'],
  Login: ['Logged In', 'Signed In', 'Sign In', 'User Logged In'],
  Share: ['Shared', 'Product Shared', 'Cart Shared'],
  Rate: ['Rated', 'Product Reviewed', 'Review Submitted'],
  SpendCredits: ['Spent Credits', 'Spend Virtual Currency'],
  AchieveLevel: ['Level Achieved', 'Level Complete', 'Level Completed', 'Level Up'],
  UnlockAchievement: ['Achievement Unlocked'],
  CompleteTutorial: ['Tutorial Complete', 'Tutorial Completed', 'Tutorial Completion'],
  Invite: ['Invited', 'Invite Sent'],
  Reserve: ['Reserved', 'Reservation', 'Booking'],
  Download: ['File Download', 'Downloaded'],
  ViewCart: ['Cart Viewed', 'Viewed Cart'],
  ViewItemList: [
    'View Category',
    'Category Viewed',
    'Viewed Category',
    'Product List Viewed',
    'Collection Viewed',
    'View Product List',
  ],
  SelectItem: ['Product Clicked', 'Item Selected', 'Select Product'],
  ViewPromotion: ['Promotion Viewed'],
  SelectPromotion: ['Promotion Clicked'],
  Refund: ['Refunded', 'Order Refunded', 'Refunded Order', 'Purchase Refunded'],
} as const satisfies Record<string, readonly string[]>
export type WellKnownEvent = keyof typeof wellKnownEvents

const simplified = (name: string) => name.toLowerCase().replace(/[\s_.-]/g, '')

const byName: ReadonlyMap<string, WellKnownEvent> = new Map(
  Object.entries(wellKnownEvents).flatMap(([event, names]) =>
    [event, ...names].map((name) => [simplified(name), event as WellKnownEvent] as const),
  ),
)
/** No name in the table is longer. Longer names are not looked up. */
const maxLength = 60

/** The well-known event for a name. Undefined for a standard event and for any other name. */
export const wellKnownEventOf = (name: string): WellKnownEvent | undefined =>
  name.length <= maxLength ? byName.get(simplified(name)) : undefined
