/** In a file of their own, because every screen of the web client loads them. */
export const maxTopicLength = 60
export const maxMessageLength = 10_000
