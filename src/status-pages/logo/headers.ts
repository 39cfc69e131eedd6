/** Headers of every response with a logo, for its owner and for visitors. */
export const logoHeaders = {
  // Keeps scripts of an SVG image from running and loading anything if somebody opens the URL of the logo. Pages show it with <img>, where
  // no browser runs scripts.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
  'content-disposition': 'inline; filename="logo"',
}
