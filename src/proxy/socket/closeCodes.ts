/** Codes that svc closes sockets of clients with (RFC 6455, section 7.4.1). */
export const CloseCode = {
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  messageTooBig: 1009,
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;
