/** A spinner, shown until the thumbnail of an image is ready. */
export const loader = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40">
  <g fill="none" stroke="#000" stroke-width="3" stroke-linecap="round">
    <circle cx="20" cy="20" r="16" stroke-opacity="0.15"/>
    <path d="M20 4a16 16 0 0 1 16 16">
      <animateTransform attributeName="transform" type="rotate" from="0 20 20" to="360 20 20" dur="1s" repeatCount="indefinite"/>
    </path>
  </g>
</svg>
`
