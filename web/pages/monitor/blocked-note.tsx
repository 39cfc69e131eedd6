/** Why an address was refused, and what would allow it: the detail names it, this says what it means. */
export function BlockedNote() {
  return (
    <p class="small">
      The address lies in a private or reserved network. Belfry does not connect there unless whoever runs this server
      allows it: with <code>BELFRY_PRIVATE_TARGETS</code> set to <code>allow</code>, or to a list of address ranges such
      as <code>10.0.0.0/8</code>.
    </p>
  )
}
