/** What users chose about a topic. */
export const topicPolicies = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const
export type TopicPolicy = (typeof topicPolicies)[keyof typeof topicPolicies]
