import { field, integration } from '../src/integration.ts'

const at = (path: string) => `{{ "https://dashboard.stripe.com/" | append: "${path}/" | append: data.object.id }}`
const linked = (text: string, path: string) => `{% capture url %}${at(path)}{% endcapture %}{{ ${text} | link: url }}`
const money = (name: string) => `{{ data.object.${name} | money: data.object.currency }}`
const test = '{% if livemode == false %} (test mode){% endif %}'
const payer =
  '{% assign payer = data.object.billing_details.name | default: data.object.customer_email | default: data.object.receipt_email %}{% if payer %} by {{ payer | one_line | bold }}{% endif %}'
const invoice =
  'Invoice {{ data.object.number | default: data.object.id | link: data.object.hosted_invoice_url }}{% if data.object.customer_email %} for {{ data.object.customer_email | one_line | bold }}{% endif %}'
const subscription = linked('"Subscription"', 'subscriptions')
const payout = linked('"Payout"', 'payouts')
const payment = linked('"Payment"', 'payments')

export default integration({
  name: 'stripe',
  title: 'Stripe',
  category: 'business',
  summary: 'Payments, refunds, disputes, invoices, subscriptions and payouts.',
  event: field('type'),
  signature: { kind: 'timestamped_hmac_sha256', header: 'stripe-signature' },
  requires: ['data.object'],
  topic: 'Stripe',
  events: {
    'charge.succeeded': {
      title: 'Charges',
      topic: 'charges',
      text: `${payment} of ${money('amount')}${payer}${test}.`,
    },
    'charge.failed': {
      title: 'Failed charges',
      topic: 'charges',
      text: `:warning: ${payment} of ${money('amount')}${payer} failed: {{ data.object.failure_message | default: "no reason given" | one_line }}${test}`,
    },
    'charge.refunded': {
      title: 'Refunds',
      topic: 'charges',
      text: `${payment} of ${money('amount')}${payer}: ${money('amount_refunded')} refunded${test}.`,
    },
    'charge.dispute.created': {
      title: 'Disputes',
      topic: 'disputes',
      text: `:warning: ${linked('"Dispute"', 'disputes')} about ${money('amount')}: {{ data.object.reason | one_line | bold }}${test}.`,
    },
    'charge.dispute.closed': {
      title: 'Closed disputes',
      topic: 'disputes',
      text: `${linked('"Dispute"', 'disputes')} about ${money('amount')} is closed: {{ data.object.status | one_line | bold }}${test}.`,
    },
    'payment_intent.succeeded': {
      title: 'Payments',
      topic: 'payments',
      text: `${payment} of ${money('amount')}${payer} succeeded${test}.`,
    },
    'payment_intent.payment_failed': {
      title: 'Failed payments',
      topic: 'payments',
      text: `:warning: ${payment} of ${money('amount')} failed: {{ data.object.last_payment_error.message | default: "no reason given" | one_line }}${test}`,
    },
    'checkout.session.completed': {
      title: 'Checkouts',
      topic: 'payments',
      text: `Checkout of ${money('amount_total')}{% if data.object.customer_details.email %} by {{ data.object.customer_details.email | one_line | bold }}{% endif %} is complete${test}.`,
    },
    'customer.created': {
      title: 'New customers',
      topic: 'customers',
      text: `New customer ${linked('data.object.email | default: data.object.id', 'customers')}${test}.`,
    },
    'customer.subscription.created': {
      title: 'New subscriptions',
      topic: 'subscriptions',
      text: `${subscription} begins: {{ data.object.status | one_line | bold }}${test}.`,
    },
    'customer.subscription.updated': {
      title: 'Changed subscriptions',
      topic: 'subscriptions',
      text: `${subscription} is {{ data.object.status | one_line | bold }}{% if data.object.cancel_at_period_end %} and ends with its period{% endif %}${test}.`,
    },
    'customer.subscription.deleted': {
      title: 'Ended subscriptions',
      topic: 'subscriptions',
      text: `${subscription} is over${test}.`,
    },
    'invoice.finalized': {
      title: 'New invoices',
      topic: 'invoices',
      text: `${invoice}: ${money('amount_due')}${test}.`,
    },
    'invoice.paid': {
      title: 'Paid invoices',
      topic: 'invoices',
      text: `${invoice} is paid: ${money('amount_paid')}${test}.`,
    },
    'invoice.payment_failed': {
      title: 'Unpaid invoices',
      topic: 'invoices',
      text: `:warning: ${invoice}: payment of ${money('amount_due')} failed${test}.`,
    },
    'payout.paid': {
      title: 'Payouts',
      topic: 'payouts',
      text: `${payout} of ${money('amount')} is on its way${test}.`,
    },
    'payout.failed': {
      title: 'Failed payouts',
      topic: 'payouts',
      text: `:warning: ${payout} of ${money('amount')} failed: {{ data.object.failure_message | default: "no reason given" | one_line }}${test}`,
    },
  },
})
