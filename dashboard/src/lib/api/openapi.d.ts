// Generated from the OpenAPI document by "npm run docs". Do not edit.

export interface paths {
    "/api/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all accounts */
        get: operations["getAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an account and destroy its data key, unless a legal hold keeps that */
        delete: operations["deleteAccountsId"];
        options?: never;
        head?: never;
        /** Change an account's proxy */
        patch: operations["patchAccountsId"];
        trace?: never;
    };
    "/api/accounts/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause an account: it serves no more requests */
        post: operations["postAccountsIdPause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{id}/reactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reactivate a paused or deactivated account */
        post: operations["postAccountsIdReactivate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/{id}/trends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the remaining usage of an account by hour, in percent, over the last seven days */
        get: operations["getAccountsIdTrends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import an account from an auth file */
        post: operations["postAccountsImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/accounts/trends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the remaining usage of every account by hour, in percent, over the last seven days */
        get: operations["getAccountsTrends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the alerts that last, and the last ones that are over; the latest first. They begin once there is a webhook */
        get: operations["getAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the webhooks that are notified of alerts */
        get: operations["getAlertsWebhooks"];
        put?: never;
        /** Add a webhook; the response contains the secret that signs its notifications, once */
        post: operations["postAlertsWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a webhook and destroy its URL and secret */
        delete: operations["deleteAlertsWebhooksId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test notification to a webhook, once */
        post: operations["postAlertsWebhooksIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all API keys; to members their own */
        get: operations["getApiKeys"];
        put?: never;
        /** Create an API key; the response contains its value once */
        post: operations["postApiKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an API key; it stops working immediately */
        delete: operations["deleteApiKeysId"];
        options?: never;
        head?: never;
        /** Change an API key; omitted fields stay unchanged */
        patch: operations["patchApiKeysId"];
        trace?: never;
    };
    "/api/api-keys/{id}/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the value of an API key; the old value stops working immediately */
        post: operations["postApiKeysIdRegenerate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/archives": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the archived days of requests, the earliest first */
        get: operations["getArchives"];
        put?: never;
        /** Archive closed days of requests, as `svc archive` does, at low priority; the job returns `archived` and `kept` */
        post: operations["postArchives"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/archives/{day}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put the requests of an archived day back into the log, from the file in the folder of archives */
        post: operations["postArchivesDayRestore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/blame/{subject}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the fields of a resource, each with the event that set it last, its actor and its time */
        get: operations["getBlameSubject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/callers/deleted-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deleted API keys whose requests still have readable addresses and user agents, newest first */
        get: operations["getCallersDeletedKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/callers/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make addresses and user agents of requests unreadable for good: without an API key, or of deleted API keys */
        post: operations["postCallersForget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/callers/months": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the months whose requests without an API key still have readable addresses and user agents */
        get: operations["getCallersMonths"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the clock of this node and the time in whose windows limits count */
        get: operations["getClock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/clock/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let the windows of limits follow the clock of this node again, after it was wrong; also back */
        post: operations["postClockAccept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Show an invitation to whom it was sent */
        post: operations["postDashboardAuthInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/invitation/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept an invitation with a password or a passkey and sign in; the link works once */
        post: operations["postDashboardAuthInvitationAccept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/invitation/passkey/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start to accept an invitation with a passkey; the response is for navigator.credentials.create */
        post: operations["postDashboardAuthInvitationPasskeyStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in as an operator */
        post: operations["postDashboardAuthLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["postDashboardAuthLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Receive the browser from the OpenID provider; a failure leads to /sign-in?error=<code> */
        get: operations["getDashboardAuthOidcCallback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lead the browser to the OpenID provider, and back to a local path after signing in */
        get: operations["getDashboardAuthOidcStart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the own passkeys */
        get: operations["getDashboardAuthPasskeys"];
        put?: never;
        /** Add a passkey */
        post: operations["postDashboardAuthPasskeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove an own passkey, and end the sessions that began with it */
        delete: operations["deleteDashboardAuthPasskeysId"];
        options?: never;
        head?: never;
        /** Rename an own passkey */
        patch: operations["patchDashboardAuthPasskeysId"];
        trace?: never;
    };
    "/api/dashboard-auth/passkeys/reauthentication/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start to prove again with a passkey who you are; the response is for navigator.credentials.get */
        post: operations["postDashboardAuthPasskeysReauthenticationStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/passkeys/registration/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start to add a passkey; the response is for navigator.credentials.create */
        post: operations["postDashboardAuthPasskeysRegistrationStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/passkeys/relying-party": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the origin on which passkeys can be used, or why there are none */
        get: operations["getDashboardAuthPasskeysRelyingParty"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/passkeys/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in as an operator with a passkey, which is both factors */
        post: operations["postDashboardAuthPasskeysSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/passkeys/sign-in/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start to sign in with a passkey; the response is for navigator.credentials.get */
        post: operations["postDashboardAuthPasskeysSignInStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove the password and TOTP of the built-in administrator, and end its sessions */
        delete: operations["deleteDashboardAuthPassword"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/password/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the own password and end all other sessions that began with it */
        post: operations["postDashboardAuthPasswordChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/password/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with the password */
        post: operations["postDashboardAuthPasswordLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/password/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set the first password; clients on other machines need the set-up token */
        post: operations["postDashboardAuthPasswordSetup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Prove again who you are, for what cannot be undone */
        post: operations["postDashboardAuthReauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/recovery/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the own recovery codes; they are shown once */
        post: operations["postDashboardAuthRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/recovery/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the session with a recovery code instead of TOTP; each works once */
        post: operations["postDashboardAuthRecoveryVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the sign-in state of the client */
        get: operations["getDashboardAuthSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/totp/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disable TOTP and stop requiring it at sign-in */
        post: operations["postDashboardAuthTotpDisable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/totp/setup/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enable TOTP with a code of the generated secret */
        post: operations["postDashboardAuthTotpSetupConfirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/totp/setup/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Generate a TOTP secret for an authenticator app; takes effect once a code confirms it */
        post: operations["postDashboardAuthTotpSetupStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard-auth/totp/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the session with a TOTP code that was not used before */
        post: operations["postDashboardAuthTotpVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get account counts, usage of the last seven days, and requests and errors of the last 24 hours */
        get: operations["getDashboardOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/dashboard/trends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get requests, tokens and cost of the last hours in steps, and the most frequent errors */
        get: operations["getDashboardTrends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make an evidence bundle of events; the result of the job has its path */
        post: operations["postEvidence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/evidence/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download an evidence bundle, a ZIP file; a node keeps the last ones for an hour */
        get: operations["getEvidenceId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/firewall/ips": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the addresses that may use the proxy; an empty list allows every address */
        get: operations["getFirewallIps"];
        put?: never;
        /** Add an address to the allowlist */
        post: operations["postFirewallIps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/firewall/ips/{ip}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove an address from the allowlist */
        delete: operations["deleteFirewallIpsIp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List events, latest first */
        get: operations["getHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/history/{position}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an event with all its data and the changes it made */
        get: operations["getHistoryPosition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the legal holds that last */
        get: operations["getHolds"];
        put?: never;
        /** Place a legal hold: what matches subject and period is neither archived nor destroyed */
        post: operations["postHolds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/holds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Lift a legal hold, and destroy what no other hold keeps */
        delete: operations["deleteHoldsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/integrity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the root of the tree over all events, its last checkpoint, and where checkpoints are published */
        get: operations["getIntegrity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/integrity/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the log, or a part of it, as `svc verify` does, at low priority; the result of the job has `ok`, `events`, `root`, `findings` and `notes` */
        post: operations["postIntegrityVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the jobs of this node since its start, latest first; it remembers the last 20 */
        get: operations["getJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a job with its progress */
        get: operations["getJobsId"];
        put?: never;
        post?: never;
        /** Cancel a job; one that has ended stays as it is */
        delete: operations["deleteJobsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Stream notifications of changes: `changed` with position and subjects, `ended` with the reason */
        get: operations["getLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/log/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the newest checkpoint, a signed note as in c2sp.org/tlog-checkpoint */
        get: operations["getLogCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/log/tile/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get hashes of the tree (<L>/<N> or <L>/<N>.p/<W>) or leaf entries (entries/<N> or entries/<N>.p/<W>), as in c2sp.org/tlog-tiles */
        get: operations["getLogTilePath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List models that the provider offers, that have a price or that served a request */
        get: operations["getModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a sign-in; without flowId the latest one */
        post: operations["postOauthCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get the status of a device sign-in, which completes without this call */
        post: operations["postOauthComplete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/manual-callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete a browser sign-in with the callback address, for browsers on another machine */
        post: operations["postOauthManualCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start linking an account by signing in at the provider */
        post: operations["postOauthStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the status of a sign-in; without flowId of the latest one */
        get: operations["getOauthStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the OpenAPI document of this service */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List operators; the built-in administrator is not among them */
        get: operations["getOperators"];
        put?: never;
        /** Invite an operator; the response contains the link, which works once within 7 days */
        post: operations["postOperators"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operators/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an operator */
        get: operations["getOperatorsId"];
        put?: never;
        post?: never;
        /** Remove an operator with all sessions and tokens */
        delete: operations["deleteOperatorsId"];
        options?: never;
        head?: never;
        /** Change an operator; omitted fields stay unchanged, and the next request of the operator obeys */
        patch: operations["patchOperatorsId"];
        trace?: never;
    };
    "/api/operators/{id}/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove an operator and destroy name and addresses everywhere; events stay and verify */
        post: operations["postOperatorsIdForget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operators/{id}/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a new link for an operator; one who has accepted sets a new password with it */
        post: operations["postOperatorsIdInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operators/{id}/passkeys/{passkeyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a passkey of an operator who has lost it, and end the sessions that began with it */
        delete: operations["deleteOperatorsIdPasskeysPasskeyId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operators/{id}/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Disable TOTP and recovery codes of an operator who has lost them */
        delete: operations["deleteOperatorsIdTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the owners that have API keys or limits; to members themselves */
        get: operations["getOwners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/owners/{owner}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the limits of an owner; members get their own */
        get: operations["getOwnersOwner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Set the limits of an owner, which may come before its first API key; omitted fields stay unchanged */
        patch: operations["patchOwnersOwner"];
        trace?: never;
    };
    "/api/owners/{owner}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the requests of the API keys of an owner, latest first; members get their own, without the accounts that served them */
        get: operations["getOwnersOwnerRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get who makes this request, and how they sign in */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/receipts/{requestIdOrPosition}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the proof that a request, by its id, or an event, by its position, is in the log */
        get: operations["getReceiptsRequestIdOrPosition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the replays of this node since its start, latest first */
        get: operations["getReplays"];
        put?: never;
        /** Repeat the decisions about the requests of a period, as `svc replay` does, at low priority, and simulate what would have happened under a what-if */
        post: operations["postReplays"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a replay with its progress and, once it is done, its report */
        get: operations["getReplaysId"];
        put?: never;
        post?: never;
        /** Cancel a replay; one that has ended stays as it is */
        delete: operations["deleteReplaysId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/replays/{id}/csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the report of a replay as CSV, one figure a line */
        get: operations["getReplaysIdCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/request-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List requests, latest first; members get those of their own keys, without the accounts that served them */
        get: operations["getRequestLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/request-logs/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record that requests are exported, before they are read page by page from /api/request-logs */
        post: operations["postRequestLogsExports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/request-logs/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the values to filter requests by; each list applies all filters except its own, those of keys, owners, teams and error codes only the times and one another */
        get: operations["getRequestLogsOptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/requests/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain a request: caller, limits, the accounts that could have served it and why not, attempts, cost */
        get: operations["getRequestsIdExplain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List dashboard sessions, latest first: the own ones, and to administrators and auditors all */
        get: operations["getSessions"];
        put?: never;
        post?: never;
        /** Sign out all other sessions: the own ones, and as an administrator those of everyone */
        delete: operations["deleteSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign out a session: an own one, and as an administrator any */
        delete: operations["deleteSessionsId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the settings of routing, import and authentication */
        get: operations["getSettings"];
        /** Change settings; omitted fields stay unchanged */
        put: operations["putSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the status of this node and of its stores */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/svc/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Usage of the pool, in the form that Codex reads */
        get: operations["getSvcUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all teams; to members those of their keys */
        get: operations["getTeams"];
        put?: never;
        /** Create a team; API keys join it by their field `team` */
        post: operations["postTeams"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a team; members get those of their keys */
        get: operations["getTeamsId"];
        put?: never;
        post?: never;
        /** Delete a team that has no API keys */
        delete: operations["deleteTeamsId"];
        options?: never;
        head?: never;
        /** Change a team; omitted fields stay unchanged */
        patch: operations["patchTeamsId"];
        trace?: never;
    };
    "/api/teams/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the owners of the API keys in a team, with these keys */
        get: operations["getTeamsIdMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List management tokens: the own ones, and to administrators and auditors all */
        get: operations["getTokens"];
        put?: never;
        /** Create a management token of your own; the response contains its value once */
        post: operations["postTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a management token */
        get: operations["getTokensId"];
        put?: never;
        post?: never;
        /** Revoke a management token: an own one, and as an administrator any */
        delete: operations["deleteTokensId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get requests, tokens, cost and latencies by group and over time; members get those of their own keys */
        get: operations["getUsageBreakdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the mean remaining usage and the number of requests of each account over the last hours */
        get: operations["getUsageHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the remaining usage of all active accounts, and requests and cost of the last seven days */
        get: operations["getUsageSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/trends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the remaining credits of all active accounts by hour, in percent, over the last seven days */
        get: operations["getUsageTrends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/usage/window": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the remaining usage of each account by its last sample */
        get: operations["getUsageWindow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/svc/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the models that the pool serves and the key may use */
        get: operations["getBackendApiSvcModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/svc/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a request to one of the accounts and stream the response */
        post: operations["postBackendApiSvcResponses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/svc/responses/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compact a conversation */
        post: operations["postBackendApiSvcResponsesCompact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/svc/wham/accounts/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The workspace of Codex's own sign-in, without which it sends no model request; says nothing of the pool */
        get: operations["getBackendApiSvcWhamAccountsCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/svc/wham/config/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The policies of the workspace of Codex's own sign-in, of which svc has none */
        get: operations["getBackendApiSvcWhamConfigBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/svc/wham/config/requirements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The policies of the workspace of Codex's own sign-in, of which svc has none */
        get: operations["getBackendApiSvcWhamConfigRequirements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/svc/wham/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Usage of the pool, in the form that Codex reads */
        get: operations["getBackendApiSvcWhamUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/transcribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Transcribe audio */
        post: operations["postBackendApiTranscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/wham/accounts/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The workspace of Codex's own sign-in, without which it sends no model request; says nothing of the pool */
        get: operations["getBackendApiWhamAccountsCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/wham/config/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The policies of the workspace of Codex's own sign-in, of which svc has none */
        get: operations["getBackendApiWhamConfigBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/backend-api/wham/config/requirements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The policies of the workspace of Codex's own sign-in, of which svc has none */
        get: operations["getBackendApiWhamConfigRequirements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is running */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is running and responds; restart it when it does not */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the metrics of this node: text of Prometheus, or OpenMetrics where `Accept` names it */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that model requests can be served by this node; send it none when they cannot */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audio/transcriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Transcribe audio */
        post: operations["postV1AudioTranscriptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a chat to one of the accounts; streams only on request */
        post: operations["postV1ChatCompletions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the models that the pool serves and the key may use */
        get: operations["getV1Models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one of these models */
        get: operations["getV1ModelsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a request to one of the accounts; streams only on request */
        post: operations["postV1Responses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compact a conversation */
        post: operations["postV1ResponsesCompact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            account_id: string;
            auth: {
                access: {
                    expires_at: string | null;
                    state: string;
                };
                id_token: {
                    expires_at: string | null;
                    state: string;
                };
                refresh: {
                    expires_at: string | null;
                    state: string;
                };
            };
            availability: {
                reason: string | null;
                /** @enum {string} */
                state: "available" | "paused" | "deactivated" | "rate_limited" | "quota_exceeded" | "cooling";
                until: string | null;
            };
            capacity_credits_primary: number;
            capacity_credits_secondary: number;
            deactivation_reason: string | null;
            display_name: string;
            email: string;
            /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
            forgotten?: string[];
            health: components["schemas"]["AccountHealth"];
            last_refresh_at: string | null;
            plan_type: string;
            /** @description Host and port of the account's own proxy; null: its calls leave as the environment of svc says */
            proxy: string | null;
            /** @description Where the provider processes its requests, as its tokens say; absent: anywhere */
            region?: string;
            remaining_credits_primary: number;
            remaining_credits_secondary: number;
            reset_at_primary: string | null;
            reset_at_secondary: string | null;
            /** @enum {string} */
            status: "active" | "paused" | "deactivated";
            usage: {
                primary_remaining_percent: number;
                secondary_remaining_percent: number;
            };
            /** @description When the provider last reported usage; null before the first report */
            usage_observed_at: string | null;
            window_minutes_primary: number;
            window_minutes_secondary: number;
        };
        AccountHealth: {
            /** @description The last attempts, at most 20, of the last `window_minutes` */
            attempts: number;
            /** @description Percent of the recent attempts; null without any */
            failure_rate: number | null;
            /** @description Attempts among them that failed because of the account or the provider */
            failures: number;
            last_failure: {
                /** Format: date-time */
                at: string;
                /** @description The outcome of the attempt, such as provider_error or unreachable */
                class: string;
                /** @description The error code of the provider */
                code: string | null;
                /** @description The error of the system, such as ECONNREFUSED */
                errno: string | null;
                /** @description The HTTP status of its response */
                provider_status: number | null;
                request_id: string;
            } | null;
            /**
             * @description failing: the last attempt failed, and so did the last three or most of the recent ones
             * @enum {string}
             */
            state: "unknown" | "healthy" | "failing";
            window_minutes: number;
        };
        AccountTrend: {
            account_id: string;
            /** @description One value for each hour; empty for a window that was never observed */
            primary: number[];
            secondary: number[];
        };
        AccountUsage: {
            account_id: string;
            capacity_credits: number;
            remaining_credits: number;
            remaining_percent_avg: number;
        };
        AccountUsageHistory: {
            account_id: string;
            /** @description Requests that tried the account */
            attempted_requests: number;
            capacity_credits: number;
            remaining_credits: number;
            remaining_percent_avg: number;
            /** @description Requests that the account served, or failed last */
            requests: number;
        };
        Actor: {
            /** @description null once it was forgotten */
            address: string | null;
            /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
            forgotten?: string[];
            /** @constant */
            kind: "operator";
            /** @description How they signed in, e.g. password, token or oidc */
            method: string | null;
            /** @description null for a person who is unknown or was forgotten */
            name: string | null;
            /** @description `administrator`: the built-in administrator; `unknown`: a client that was not signed in */
            operator_id: string;
            session_id: string | null;
            /** @description The management token that was used; operator_id is its owner */
            token_id: string | null;
            token_name: string | null;
            used_totp: boolean;
            user_agent: string | null;
        } | {
            api_key_id: string;
            /** @constant */
            kind: "api_key";
        } | {
            /** @constant */
            kind: "anonymous";
        } | {
            command: string;
            /** @constant */
            kind: "cli";
            user: string | null;
        } | {
            /** @constant */
            kind: "system";
            reason: string;
        };
        Alert: {
            id: string;
            /** @description null: all nodes */
            node: string | null;
            /** @description Of the event in History that began it */
            position: number;
            /** Format: date-time */
            raised_at: string;
            /** @description null: it lasts */
            resolved_at: string | null;
            /** @enum {string} */
            rule: "account_lost" | "pool_low" | "limit_80" | "limit_100" | "error_rate" | "store_away" | "outbox_filling" | "integrity_finding";
            /** @description As History names it; null: no single one */
            subject: string | null;
            text: string;
        };
        ApiKey: {
            allowed_models: string[] | null;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            is_active: boolean;
            key_prefix: string;
            last_used_at: string | null;
            limits: components["schemas"]["LimitRule"][];
            name: string;
            owner: string | null;
            /** @description Where its requests may be served; null: in every region */
            regions: string[] | null;
            /** @description The id of its team */
            team: string | null;
        };
        ApiKeyWithValue: {
            allowed_models: string[] | null;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            is_active: boolean;
            /** @description Returned only once; absent when the request repeats an Idempotency-Key */
            key?: string;
            key_prefix: string;
            last_used_at: string | null;
            limits: components["schemas"]["LimitRule"][];
            name: string;
            owner: string | null;
            /** @description Where its requests may be served; null: in every region */
            regions: string[] | null;
            /** @description The id of its team */
            team: string | null;
        };
        ArchiveEntry: {
            /** @description UTC */
            day: string;
            events: number;
            file: {
                bytes: number;
                name: string;
                sha256: string;
            };
            first_position: number;
            last_position: number;
            /** @description Root of the Merkle tree over all events up to sealed_to, in hexadecimal */
            root: string;
            /** @description A fold of the log begins behind this position */
            sealed_to: number;
            segment: number;
            /** @enum {string} */
            state: "archived" | "restored";
            /** @description Number of events of each type */
            types: {
                [key: string]: number;
            };
        };
        Blame: {
            fields: components["schemas"]["BlamedField"][];
            position: number;
            /** @description As in the history */
            subject: string;
            /** Format: date-time */
            time: string;
        };
        BlamedField: {
            actor: components["schemas"]["Actor"] | null;
            /** @description It had a value that was forgotten: then `position` is null */
            is_forgotten: boolean;
            /** @description JSON Pointer into the resource; items of a list go by their id */
            path: string;
            /** @description Of the event; null: the default, or no single event set it */
            position: number | null;
            sentence: string | null;
            /**
             * @description event: set by an event of the resource itself; any other: it follows from those
             * @enum {string}
             */
            source: "event" | "usage" | "tokens" | "requests" | "open_requests" | "clock" | "api_keys" | "operators";
            time: string | null;
            type: string | null;
            value: unknown;
        };
        ChatCompletion: {
            choices: {
                /** @enum {string} */
                finish_reason: "stop" | "length" | "tool_calls" | "content_filter";
                /** @constant */
                index: 0;
                logprobs: {
                    content: {
                        bytes: number[] | null;
                        logprob: number;
                        token: string;
                        top_logprobs: {
                            bytes: number[] | null;
                            logprob: number;
                            token: string;
                        }[];
                    }[];
                    refusal: null;
                } | null;
                message: {
                    annotations: {
                        /** @constant */
                        type: "url_citation";
                        url_citation: {
                            end_index: number;
                            start_index: number;
                            title: string;
                            url: string;
                        };
                    }[];
                    content: string | null;
                    reasoning_content?: string;
                    refusal: string | null;
                    /** @constant */
                    role: "assistant";
                    tool_calls?: ({
                        function: {
                            arguments: string;
                            name: string;
                        };
                        id: string;
                        /** @constant */
                        type: "function";
                    } | {
                        custom: {
                            input: string;
                            name: string;
                        };
                        id: string;
                        /** @constant */
                        type: "custom";
                    })[];
                };
            }[];
            /** @description Unix seconds */
            created: number;
            /** @description Unique per response, the same in all of its chunks */
            id: string;
            /** @description As requested */
            model: string;
            /** @constant */
            object: "chat.completion";
            service_tier?: string;
            usage?: components["schemas"]["ChatUsage"];
        };
        ChatCompletionChunk: {
            choices: {
                delta: {
                    annotations?: {
                        /** @constant */
                        type: "url_citation";
                        url_citation: {
                            end_index: number;
                            start_index: number;
                            title: string;
                            url: string;
                        };
                    }[];
                    content?: string;
                    /** @description A summary of the reasoning, if requested */
                    reasoning_content?: string;
                    refusal?: string;
                    /** @constant */
                    role?: "assistant";
                    tool_calls?: {
                        custom?: {
                            input: string;
                            name?: string;
                        };
                        function?: {
                            arguments: string;
                            name?: string;
                        };
                        id?: string;
                        index: number;
                        /** @enum {string} */
                        type?: "function" | "custom";
                    }[];
                };
                finish_reason: ("stop" | "length" | "tool_calls" | "content_filter") | null;
                /** @constant */
                index: 0;
                logprobs?: {
                    content: {
                        bytes: number[] | null;
                        logprob: number;
                        token: string;
                        top_logprobs: {
                            bytes: number[] | null;
                            logprob: number;
                            token: string;
                        }[];
                    }[];
                    refusal: null;
                };
            }[];
            /** @description Unix seconds */
            created: number;
            /** @description Unique per response, the same in all of its chunks */
            id: string;
            /** @description As requested */
            model: string;
            /** @constant */
            object: "chat.completion.chunk";
            service_tier?: string;
            usage?: components["schemas"]["ChatUsage"] | null;
        };
        ChatRequest: {
            logprobs?: boolean | null;
            /** @description Reserved from the limits of the API key; not forwarded to the provider */
            max_completion_tokens?: number | null;
            /** @description Like max_completion_tokens */
            max_tokens?: number | null;
            messages: ({
                /** @enum {string} */
                role: "system" | "developer" | "user" | "assistant" | "tool";
            } & {
                [key: string]: unknown;
            })[];
            model: string;
            n?: 1 | null;
            parallel_tool_calls?: boolean | null;
            prompt_cache_key?: string | null;
            reasoning_effort?: string | null;
            response_format?: ({
                /** @enum {string} */
                type: "text" | "json_object" | "json_schema";
            } & {
                [key: string]: unknown;
            }) | null;
            service_tier?: string | null;
            stream?: boolean | null;
            stream_options?: ({
                include_usage?: boolean | null;
            } & {
                [key: string]: unknown;
            }) | null;
            tool_choice?: (string | {
                [key: string]: unknown;
            }) | null;
            tools?: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[] | null;
            verbosity?: string | null;
            web_search_options?: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        ChatUsage: {
            completion_tokens: number;
            completion_tokens_details: {
                reasoning_tokens: number;
            };
            prompt_tokens: number;
            prompt_tokens_details: {
                cached_tokens: number;
            };
            total_tokens: number;
        };
        Clock: {
            /** @description What the clock showed when an operator last accepted it */
            accepted_at: string | null;
            /**
             * Format: date-time
             * @description The time in whose windows limits count; never goes back by itself
             */
            limits_time: string;
            /**
             * Format: date-time
             * @description The clock of this node
             */
            time: string;
        };
        /** @description Always empty */
        CodexPolicies: Record<string, never>;
        CodexWorkspaces: {
            accounts: {
                /** @constant */
                account_routing_override: "NO_CONSTRAINT";
                /** @description The client's own `chatgpt-account-id` */
                id: string;
                /** @description NO_CONSTRAINT or an HTTPS origin */
                workspace_backend_origin: string;
            }[];
        };
        Compaction: {
            id: string;
            object: string;
            output: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            status: string;
            usage?: ({
                input_tokens: number;
                output_tokens: number;
                total_tokens: number;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        DashboardSession: {
            /**
             * @description Operators sign in with POST /api/dashboard-auth/login
             * @constant
             */
            hasOperators?: true;
            isPasswordConfigured: boolean;
            isPasswordVerified: boolean;
            isTotpConfigured: boolean;
            isTotpRequiredOnLogin: boolean;
            isTotpVerified: boolean;
            /**
             * @description The session may do nothing but set up TOTP
             * @constant
             */
            mustSetUpTotp?: true;
            /** @description Who is signed in */
            operator?: {
                id: string;
                name: string | null;
                /** @enum {string} */
                role: "administrator" | "operator" | "auditor" | "member";
            };
            signInWays?: components["schemas"]["SignInWays"];
        };
        DeletedKeyOfCallers: {
            /** Format: date-time */
            deleted_at: string;
            id: string;
            /** @description As in History; has the name of the key */
            sentence: string;
        };
        ExplainedCandidate: {
            account_id: string;
            /** @description The request that made it cool down */
            by_request_id: string | null;
            days_to_reset: number | null;
            detail: string | null;
            eligible: boolean;
            /** @description The order of preference among the eligible ones, from 1 */
            place: number | null;
            plan: string;
            /** @description What kept it out: paused, deactivated, rate_limited, quota_exceeded, cooling, other_region, plan_lacks_model, already_tried */
            reason: string | null;
            since: string | null;
            since_position: number | null;
            /** @description The number that decided between equal figures, the lowest first */
            tie_break: number | null;
            until: string | null;
            used_percent_primary: number | null;
            used_percent_secondary: number | null;
        };
        ExplainedChoice: {
            /** Format: date-time */
            as_of: string;
            /** @description pin, only, usage_weighted, round_robin, repeat, or none */
            by: string;
            candidates: components["schemas"]["ExplainedCandidate"][];
            /** @description Position in the history */
            decided_at: number;
            /** @description Why none was found: empty, no_region, exhausted, cooling or tried */
            reason: string | null;
            rule_version: number;
            turn: number | null;
        };
        ExplainedLimit: {
            applies: boolean;
            ceiling: number;
            counted: number;
            /** @description What this request reserved */
            estimate: number;
            /** @description Unique within its level */
            id: number;
            /** @description Where the limit stands: key, owner or team */
            level: string;
            limit_type: string;
            limit_window: string;
            model_filter: string | null;
            /** @description By open requests */
            reserved: number;
            /** Format: date-time */
            resets_at: string;
            /** @description The id of the key, the owner, or the id of the team */
            subject: string;
        };
        Explanation: {
            account_id: string | null;
            admission: {
                as_of: string | null;
                /** @description Position in the history */
                decided_at: number;
                estimate: {
                    cost_usd: number;
                    input_tokens: number;
                    output_tokens: number;
                } | null;
                estimate_source: string | null;
                limit_id: number | null;
                limit_level: string | null;
                readonly limits: components["schemas"]["ExplainedLimit"][];
                nodes: number;
                rule: string | null;
                rule_version: number | null;
                /** @enum {string} */
                verdict: "admitted" | "refused";
            } | null;
            readonly attempts: {
                account_id: string;
                choice: components["schemas"]["ExplainedChoice"];
                code: string | null;
                duration_ms: number;
                /** Format: date-time */
                ended_at: string;
                errno: string | null;
                limited_until: string | null;
                number: number;
                outcome: string;
                provider_status: number | null;
                proxy: string | null;
                /** @description Where the provider had to process it */
                region: string | null;
                /** Format: date-time */
                started_at: string;
                waited_ms: number;
            }[];
            caller: {
                allowed_models: string[] | null;
                expires_at: string | null;
                key_id: string | null;
                /** @description Its name then */
                key_name: string | null;
                /** @enum {string} */
                kind: "api_key" | "anonymous";
                /** @description Whose the key was when the request was admitted */
                owner: string | null;
                /** @description Where its requests were served; null: in every region */
                regions: string[] | null;
                /** @description The id of its team then */
                team: string | null;
                team_name: string | null;
            };
            readonly candidates: components["schemas"]["ExplainedCandidate"][];
            cost: {
                is_estimated: boolean;
                price_version: string | null;
                service_tier: string | null;
                readonly terms: {
                    count: number;
                    factor: number;
                    tokens: string;
                    usd: number;
                    usd_per_million: number;
                }[];
                total_usd: number;
            } | null;
            error_code: string | null;
            error_message: string | null;
            readonly events: {
                /** @description Position in the history */
                position: number;
                stream: string;
                /** Format: date-time */
                time: string;
                type: string;
            }[];
            first_byte_ms: number | null;
            latency_ms: number;
            model: string;
            no_account: components["schemas"]["ExplainedChoice"] | null;
            /** @enum {string} */
            outcome: "served" | "failed" | "refused";
            pin: {
                account_id: string | null;
                /** @description A digest */
                conversation: string;
                is_fallback: boolean;
                /** @description The header or field that named the conversation */
                source: string | null;
            } | null;
            reasoning_effort: string | null;
            request_id: string;
            /** Format: date-time */
            requested_at: string;
            route: string;
            status: string;
        };
        Firewall: {
            /** @description The address of this client as the proxy would see it */
            caller_address: string;
            entries: components["schemas"]["FirewallEntry"][];
            /** @enum {string} */
            mode: "allow_all" | "allowlist_active";
        };
        FirewallEntry: {
            /** Format: date-time */
            created_at: string;
            ip_address: string;
        };
        HistoryEntry: {
            actor: components["schemas"]["Actor"];
            position: number;
            sentence: string;
            subject: string;
            /** Format: date-time */
            time: string;
            type: string;
        };
        HistoryEvent: {
            actor: components["schemas"]["Actor"];
            /** @description State of the subject after the event; null if it no longer exists */
            after: unknown;
            /** @description State of the subject before the event; null if it did not exist */
            before: unknown;
            causation_id: string | null;
            changes: {
                after: unknown;
                before: unknown;
                /** @description JSON Pointer */
                path: string;
            }[];
            correlation_id: string;
            /** @description The stored event data, with secrets redacted */
            data: unknown;
            hash: string;
            id: string;
            node: string;
            position: number;
            previous_hash: string;
            revision: number;
            schema_version: number;
            sentence: string;
            stream: string;
            subject: string;
            /** Format: date-time */
            time: string;
            type: string;
        };
        Hold: {
            from: string | null;
            id: string;
            /** Format: date-time */
            placed_at: string;
            /** @description Of the event in History, which names the actor */
            position: number;
            reason: string;
            subject: string | null;
            until: string | null;
        };
        ImportedAccount: {
            account_id: string;
            email: string;
            plan_type: string;
            /** @enum {string} */
            status: "active" | "paused" | "deactivated";
        };
        Integrity: {
            /** @description The newest one; null before the first */
            checkpoint: {
                /** @description Signed note as in c2sp.org/tlog-checkpoint, with the cosignatures so far */
                note: string;
                /** @description SHA-256 in 64 hexadecimal digits */
                root: string;
                /** Format: date-time */
                signed_at: string;
                /** @description The position of the last event that it covers */
                size: number;
            } | null;
            /** @description Identifies the log in its checkpoints; null before the first event */
            origin: string | null;
            /** @description Verifier key as in c2sp.org/signed-note, whose name is the origin; null before the first event */
            public_key: string | null;
            publishing: {
                /** @description What the last attempt failed with */
                failure: string | null;
                /** @enum {string} */
                kind: "folder" | "http" | "witness";
                published_at: string | null;
                /** @description Size of the newest checkpoint that it has taken; 0 before the first */
                size: number;
                /** @description Path, or URL without secrets */
                target: string;
            }[];
            /** @description Why this node signs no checkpoints at present */
            refusal: string | null;
            /** @description SHA-256 in 64 hexadecimal digits */
            root: string;
            /** @description Number of leaves: the position of the last event in the tree */
            tree_size: number;
            /** @description The last one that a running service made; null before the first */
            verification: {
                /** Format: date-time */
                at: string;
                /** @description Number of events that were read */
                events: number;
                findings: number;
                ok: boolean;
            } | null;
        };
        Invitation: {
            email: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Who made the link; null for one who was forgotten */
            invitedBy: string | null;
            /** @description Whether an earlier link was accepted: this one sets a new password */
            isForNewPassword: boolean;
            name: string;
            /** @enum {string} */
            role: "administrator" | "operator" | "auditor" | "member";
        };
        InvitedOperator: {
            accepted_at: string | null;
            /** @description null once the person was forgotten */
            email: string | null;
            /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
            forgotten?: string[];
            id: string;
            /** @description null without a link that can be used */
            invitation_expires_at: string | null;
            /** @description Returned only once; absent when the request repeats an Idempotency-Key */
            invitation_url?: string;
            /** Format: date-time */
            invited_at: string;
            is_totp_configured: boolean;
            /** @description null once the person was forgotten */
            name: string | null;
            passkeys: {
                /** Format: date-time */
                added_at: string;
                /** @description When a use was last refused because the counter went back: a copy of the passkey may exist */
                counter_regressed_at: string | null;
                id: string;
                last_used_at: string | null;
                /** @description null once the person was forgotten */
                name: string | null;
            }[];
            recovery_codes_left: number;
            removed_at: string | null;
            /** @enum {string} */
            role: "administrator" | "operator" | "auditor" | "member";
            /** @enum {string} */
            status: "invited" | "active" | "disabled" | "removed";
        };
        Job: {
            /** @description Who started it */
            actor: components["schemas"]["Actor"];
            ended_at: string | null;
            /** @description Why it failed */
            error: string | null;
            id: string;
            /** @description What the job does */
            kind: string;
            progress: {
                /** @description Units that are done, e.g. events */
                done: number;
                /** @description Units in total; null while it is not known */
                of: number | null;
                /** @description What the job does at the moment */
                step: string;
            };
            /** @description What it returned; null unless it is done */
            result: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            started_at: string;
            /** @enum {string} */
            state: "running" | "done" | "failed" | "cancelled";
        };
        LimitRule: {
            current_cost_usd?: number;
            current_value: number;
            id: number;
            /** @enum {string} */
            limit_type: "total_tokens" | "input_tokens" | "output_tokens" | "cost_usd";
            /** @enum {string} */
            limit_window: "daily" | "weekly" | "monthly";
            max_value: number;
            model_filter: string | null;
            /** @enum {string} */
            on_exceeded: "finish" | "stop";
            reserved_cost_usd?: number;
            /** @description What requests that are open for two seconds or longer have reserved, in addition to `current_value` */
            reserved_value: number;
            /** Format: date-time */
            reset_at: string;
        };
        LiveEvent: {
            /** @description Every event up to this position is visible to other requests */
            position: number;
            /** @description What changed, e.g. account-<id> or firewall-main; a kind without an id, such as request, means any of that kind */
            subjects: string[];
        } | {
            /**
             * @description Why the stream ends; `session` means that the client must sign in again
             * @enum {string}
             */
            reason: "session" | "stopping" | "too_slow";
        };
        ManagementError: {
            error: {
                code: string;
                message: string;
            };
        };
        ManagementToken: {
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            id: string;
            is_valid: boolean;
            /** @description To the hour */
            last_used_at: string | null;
            name: string;
            owner: {
                /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
                forgotten?: string[];
                id: string;
                name: string | null;
                /** @description null for one who can no longer act: the token is refused */
                role: ("administrator" | "operator" | "auditor" | "member") | null;
            };
            revoked_at: string | null;
            /** @enum {string} */
            role: "administrator" | "operator" | "auditor" | "member";
            scopes: "irreversible"[];
        };
        ManagementTokenWithValue: {
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            id: string;
            is_valid: boolean;
            /** @description To the hour */
            last_used_at: string | null;
            name: string;
            owner: {
                /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
                forgotten?: string[];
                id: string;
                name: string | null;
                /** @description null for one who can no longer act: the token is refused */
                role: ("administrator" | "operator" | "auditor" | "member") | null;
            };
            revoked_at: string | null;
            /** @enum {string} */
            role: "administrator" | "operator" | "auditor" | "member";
            scopes: "irreversible"[];
            /** @description For the header Authorization: Bearer. Returned only once; absent when the request repeats an Idempotency-Key */
            token?: string;
        };
        Model: {
            created: number;
            id: string;
            metadata: {
                context_window?: number;
                display_name?: string;
            } & {
                [key: string]: unknown;
            };
            /** @constant */
            object: "model";
            owned_by: string;
        } & {
            [key: string]: unknown;
        };
        Models: {
            data: components["schemas"]["Model"][];
            /** @description The same models as the provider describes them, for Codex */
            models: ({
                slug: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @constant */
            object: "list";
        };
        MonthOfCallers: {
            is_over: boolean;
            month: string;
        };
        NewPasskeyCredential: {
            id: string;
            rawId: string;
            response: {
                attestationObject: string;
                clientDataJSON: string;
                transports?: string[];
            };
            /** @constant */
            type: "public-key";
        };
        NotReady: {
            reasons: {
                /** @enum {string} */
                code: "shutting_down" | "log_unavailable" | "outbox_full" | "sink_unavailable" | "fold_behind" | "no_accounts" | "no_account_available" | "disk_space_low" | "out_of_file_descriptors";
                message: string;
            }[];
            /** @constant */
            status: "not_ready";
        };
        OAuthStart: {
            authorizationUrl: string | null;
            /** @description Why this machine does not receive the callback; send its address to /api/oauth/manual-callback then */
            callback_problem: string | null;
            callbackUrl: string | null;
            deviceAuthId: string | null;
            expiresInSeconds: number;
            flowId: string;
            intervalSeconds: number | null;
            /** @enum {string} */
            method: "browser" | "device";
            userCode: string | null;
            verificationUrl: string | null;
        };
        OAuthStatus: {
            /** @description The linked account; before success the account to sign in again */
            account_id: string | null;
            error_code: string | null;
            errorMessage: string | null;
            expires_at: string | null;
            flowId: string | null;
            method: ("browser" | "device") | null;
            outcome: ("imported" | "replaced" | "skipped") | null;
            /** @enum {string} */
            status: "pending" | "success" | "error";
        };
        Operator: {
            accepted_at: string | null;
            /** @description null once the person was forgotten */
            email: string | null;
            /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
            forgotten?: string[];
            id: string;
            /** @description null without a link that can be used */
            invitation_expires_at: string | null;
            /** Format: date-time */
            invited_at: string;
            is_totp_configured: boolean;
            /** @description null once the person was forgotten */
            name: string | null;
            passkeys: {
                /** Format: date-time */
                added_at: string;
                /** @description When a use was last refused because the counter went back: a copy of the passkey may exist */
                counter_regressed_at: string | null;
                id: string;
                last_used_at: string | null;
                /** @description null once the person was forgotten */
                name: string | null;
            }[];
            recovery_codes_left: number;
            removed_at: string | null;
            /** @enum {string} */
            role: "administrator" | "operator" | "auditor" | "member";
            /** @enum {string} */
            status: "invited" | "active" | "disabled" | "removed";
        };
        Owner: {
            /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
            forgotten?: string[];
            /** @description Number of API keys that belong to it */
            keys: number;
            /** @description Since it has limits */
            last_used_at: string | null;
            /** @description What all its keys together may use */
            limits: components["schemas"]["LimitRule"][];
            /** @description The name of the operator whose id the owner is */
            name: string | null;
            /** @description An operator's id or a free text, as the keys have it */
            owner: string;
        };
        Passkey: {
            /** Format: date-time */
            addedAt: string;
            /** @description When a use was last refused because the counter went back: a copy of the passkey may exist */
            counterRegressedAt: string | null;
            id: string;
            lastUsedAt: string | null;
            /** @description null once the person was forgotten */
            name: string | null;
        };
        PasskeyAssertion: {
            id: string;
            rawId: string;
            response: {
                authenticatorData: string;
                clientDataJSON: string;
                signature: string;
                userHandle?: string | null;
            };
            /** @constant */
            type: "public-key";
        };
        PasskeyAssertionStart: {
            challengeToken: string;
            /** @description For PublicKeyCredential.parseRequestOptionsFromJSON */
            publicKey: {
                allowCredentials?: {
                    id: string;
                    transports?: string[];
                    /** @constant */
                    type: "public-key";
                }[];
                challenge: string;
                rpId: string;
                timeout: number;
                /** @constant */
                userVerification: "required";
            };
        };
        PasskeyRegistrationStart: {
            challengeToken: string;
            /** @description For PublicKeyCredential.parseCreationOptionsFromJSON */
            publicKey: {
                /** @constant */
                attestation: "none";
                authenticatorSelection: {
                    /** @constant */
                    requireResidentKey: true;
                    /** @constant */
                    residentKey: "required";
                    /** @constant */
                    userVerification: "required";
                };
                challenge: string;
                excludeCredentials: {
                    id: string;
                    transports?: string[];
                    /** @constant */
                    type: "public-key";
                }[];
                pubKeyCredParams: {
                    alg: number;
                    /** @constant */
                    type: "public-key";
                }[];
                rp: {
                    id: string;
                    name: string;
                };
                timeout: number;
                user: {
                    displayName: string;
                    id: string;
                    name: string;
                };
            };
        };
        PasskeyRelyingParty: {
            origin: string | null;
            problem: string | null;
        };
        PoolUsage: {
            credits: {
                approx_cloud_messages: null;
                approx_local_messages: null;
                balance: string;
                has_credits: boolean;
                unlimited: boolean;
            } | null;
            plan_type: string;
            rate_limit: {
                allowed: boolean;
                limit_reached: boolean;
                primary_window: {
                    limit_window_seconds: number;
                    reset_after_seconds: number;
                    /** @description Unix time */
                    reset_at: number;
                    used_percent: number;
                } | null;
                secondary_window: {
                    limit_window_seconds: number;
                    reset_after_seconds: number;
                    /** @description Unix time */
                    reset_at: number;
                    used_percent: number;
                } | null;
            } | null;
        };
        Profile: {
            /** @description null for the built-in administrator */
            email: string | null;
            has_password: boolean;
            id: string;
            is_built_in: boolean;
            is_totp_configured: boolean;
            name: string | null;
            recovery_codes_left: number;
            /**
             * @description What this request may do: for a token the lower of its role and that of its owner
             * @enum {string}
             */
            role: "administrator" | "operator" | "auditor" | "member";
            /** @description The management token of this request */
            token_id: string | null;
        };
        ProxyError: {
            error: {
                code: string;
                message: string;
                param?: string;
                plan_type?: string;
                resets_at?: number;
                resets_in_seconds?: number;
                type: string;
            };
        };
        Receipt: {
            /** @description Signed note as in c2sp.org/tlog-checkpoint */
            checkpoint: string;
            /** @description The leaf entry: a line of JSON, whose exact bytes are hashed */
            entry: string;
            /** @description Inclusion proof of RFC 6962 from the leaf up; each 32 bytes in base64 */
            hashes: string[];
            /** @description Index of the leaf: the position of the event - 1 */
            index: number;
            /** @description The same as in c2sp.org/tlog-proof, with the entry as its extra data */
            proof: string;
        };
        Replay: {
            job: components["schemas"]["Job"];
            /** @description Null until the job is done; a node keeps the last 5 */
            report: components["schemas"]["ReplayReport"] | null;
        };
        ReplayedEnd: {
            account_id: string | null;
            cost_usd: number | null;
            /** @enum {string} */
            outcome: "served" | "failed" | "refused";
            /** @description Why it was refused or failed */
            reason: string | null;
            /** @description The rule that refused it */
            rule_id: number | null;
        };
        ReplayReport: {
            admissions: number;
            /** @description Decisions that cannot be repeated, because their state is archived */
            archived: number;
            choices: number;
            /** @description Refusals of which the log has only the number */
            counted_only: number;
            differences: {
                decided_at: number;
                decision: string;
                position: number;
                recorded: string;
                replayed: string;
                request_id: string;
            }[];
            /** @description Requests imported from another program, about which svc decided nothing */
            imported?: number;
            /** @description Differences beyond the first 1,000 */
            more_differences: number;
            /** @description Requests that svc itself refused */
            refusals: number;
            /** @description Decisions that gave the recorded result */
            repeated: number;
            /** @description Rows of the request log in the period */
            requests: number;
            /** @description Null when nothing was to be changed */
            what_if: components["schemas"]["WhatIfReport"] | null;
        };
        RequestLogEntry: {
            account_id: string | null;
            /** @description Null when the callers of the key were forgotten */
            address: string | null;
            api_key_id: string | null;
            /** @description Accounts that were tried, that of account_id last */
            attempted_account_ids: string[];
            attempts: number;
            cached_input_tokens: number | null;
            /** @description The program that sent the request, as it names itself */
            client: string | null;
            client_version: string | null;
            cost_usd: number | null;
            error_code: string | null;
            error_message: string | null;
            first_byte_ms: number | null;
            /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
            forgotten?: string[];
            input_tokens: number | null;
            latency_ms: number;
            model: string;
            /** @description The header of this name */
            originator: string | null;
            output_tokens: number | null;
            /** @description To whom the key belonged at the time */
            owner: string | null;
            /** @description Position of the event in the history */
            position: number;
            reasoning_effort: string | null;
            reasoning_tokens: number | null;
            request_id: string;
            /** Format: date-time */
            requested_at: string;
            route: string;
            status: string;
            /** @description The id of the team of the key at the time */
            team: string | null;
            tokens: number | null;
            transport: string;
            /** @description Null when the callers of the key were forgotten */
            user_agent: string | null;
        };
        Response: {
            id: string;
            /** @constant */
            object: "response";
            output: {
                [key: string]: unknown;
            }[];
            status: string;
        } & {
            [key: string]: unknown;
        };
        ResponsesRequest: {
            conversation?: string | null;
            include?: string[] | null;
            input: string | {
                [key: string]: unknown;
            }[];
            instructions?: string | null;
            model: string;
            parallel_tool_calls?: boolean;
            prompt_cache_key?: string | null;
            reasoning?: ({
                effort?: string;
                summary?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            store?: false | null;
            stream?: boolean;
            text?: ({
                format?: {
                    [key: string]: unknown;
                };
                verbosity?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            tool_choice?: string | {
                [key: string]: unknown;
            };
            tools?: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        ResponseStreamEvent: {
            type: string;
        } & {
            [key: string]: unknown;
        };
        Session: {
            /** @description Where the session began; null if that is unknown or was forgotten */
            address: string | null;
            /** Format: date-time */
            began_at: string;
            /** Format: date-time */
            expires_at: string;
            /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
            forgotten?: string[];
            /** @description Whether this request belongs to the session */
            is_current: boolean;
            /** @description How the person signed in, e.g. password or oidc */
            method: string;
            operator: {
                /** @description Fields of this object that had a value which was forgotten, or whose key is lost; absent without any */
                forgotten?: string[];
                id: string;
                name: string | null;
                role: ("administrator" | "operator" | "auditor" | "member") | null;
            };
            /** @description In the history its subject is session-<session_id> */
            session_id: string;
            used_totp: boolean;
            user_agent: string | null;
        };
        Settings: {
            api_key_auth_enabled: boolean;
            import_without_overwrite: boolean;
            prefer_earlier_reset_accounts: boolean;
            /** @enum {string} */
            routing_strategy: "usage_weighted" | "round_robin";
            sticky_threads_enabled: boolean;
            totp_configured: boolean;
            totp_required_on_login: boolean;
        };
        SignInWays: {
            /** @description POST /api/dashboard-auth/password/login, as the built-in administrator */
            builtIn: boolean;
            /** @description By OIDC, where it is configured */
            oidc?: {
                /** @description Of the OpenID provider, for people */
                name: string;
                /** @description The page to open; takes ?next=<local path> */
                startUrl: string;
            };
            /** @description POST /api/dashboard-auth/passkeys/sign-in/start, where passkeys are available */
            passkey?: {
                /** @description Of the only pages to which browsers give the passkeys */
                origin: string;
            };
            /** @description POST /api/dashboard-auth/login, with name or e-mail address and password */
            password: boolean;
            /** @description POST /api/dashboard-auth/password/setup, which makes the password of the built-in administrator */
            setUp: boolean;
        };
        Status: {
            events: {
                /** @description Since when this node has had no contact with the store */
                cut_off_since: string | null;
                /** @description Position of the last event that this node knows */
                position: number;
                /** @enum {string} */
                store: "embedded" | "eventstore";
            };
            /** @description SVC_NODE_ID */
            node: string;
            /** @description The live nodes that share the event store and the limits, this one first */
            nodes: string[];
            /** @description The evidence bundle that is shown, whose events cannot be changed; null for a service */
            opened_bundle: string | null;
            /** @description null with the embedded store */
            outbox: {
                /** @description Whether new model requests are refused */
                is_full: boolean;
                /** @description Events that EventStoreDB will never take, kept on this node (`svc outbox list`) */
                parked: number;
                /** @description The first of them */
                parked_events: {
                    /** @description Of its data and metadata */
                    bytes: number;
                    /** @description Event id */
                    id: string;
                    /** Format: date-time */
                    parked_at: string;
                    /** @description Why EventStoreDB does not take it */
                    reason: string;
                    stream: string;
                    type: string;
                }[];
                /** @description Events that are stored on this node and not yet confirmed by EventStoreDB */
                pending: number;
                /** @description Why the events cannot be delivered */
                trouble: string | null;
            } | null;
            /** @description What is wrong on this node at the moment, oldest first */
            problems: {
                /** @description What happened and what it costs */
                cause: string;
                /** @description What is wrong, as a name that never changes */
                code: string;
                /** @description What to do */
                remedy: string;
                /**
                 * Format: date-time
                 * @description When this node noticed it
                 */
                since: string;
                /** @description Which one of several, for example a stream or a node */
                subject: string | null;
            }[];
            read_models: {
                /** @description Number of events known to this node that they do not include */
                behind: number | null;
                /** @description Position of the last event they include; null while unavailable */
                position: number | null;
                /** @enum {string} */
                store: "embedded" | "mongodb";
                /** @description Why they are unavailable */
                trouble: string | null;
            };
            /** @description What this node takes for reserved, also by requests that the log does not have (yet) */
            reservations: {
                /** @description What counts on this node in addition to `current_value`. The first 100 limits */
                limits: {
                    /** @description The id of the key; null for other levels */
                    key_id: string | null;
                    /**
                     * @description Where the limit stands
                     * @enum {string}
                     */
                    level: "key" | "owner" | "team";
                    limit_id: number;
                    reserved_cost_usd?: number;
                    reserved_value: number;
                    /** @description The id of the key, the owner, or the id of the team */
                    subject: string;
                }[];
                /** @description Open requests of this node that reserve on limits */
                requests: number;
            };
            /** @description Places that get every event; absent where there are none */
            sinks?: {
                /** @description Number of events known to this node that it did not take yet */
                behind: number;
                delivered_at: string | null;
                /** @description Whether model requests and changes wait while it takes no events */
                fail_closed: boolean;
                /** @description Why it takes no events at the moment */
                failure: string | null;
                /** @enum {string} */
                format: "cloudevents" | "ocsf";
                /** @enum {string} */
                kind: "file" | "url";
                /** @description Position of the last event that it took */
                position: number;
                /** @description The path, or the URL without its secrets */
                target: string;
            }[];
            /** @description Tasks that one leader performs for all nodes */
            sole_work: {
                /** @description Whether this node is the leader */
                is_here: boolean;
                /** @description `polling` of the provider, `alerts`, `checkpoints`, `sinks`, or `read-models` in MongoDB */
                name: string;
                /** @description The leader, as far as this node knows */
                node: string | null;
            }[];
            /** @description Websockets of clients on this node; absent until a client has asked for one */
            websockets?: {
                /** @description Of those, with a response in progress */
                busy: number;
                /** @description Open ones by the account behind them, most first; null: no socket of the provider is open */
                by_account: {
                    account_id: string | null;
                    sockets: number;
                }[];
                /** @description Open ones, most first */
                by_key: {
                    key_id: string | null;
                    sockets: number;
                }[];
                /** @description Since the start */
                closes: {
                    count: number;
                    reason: string;
                }[];
                open: number;
                /** @description Since the start */
                upgrades: {
                    count: number;
                    /** @description `accepted`, or the code of the error */
                    result: string;
                }[];
            };
        };
        /** @description Instead of instructions, input may begin with a developer or system message */
        SvcResponsesRequest: {
            conversation?: string | null;
            include?: string[] | null;
            input: string | {
                [key: string]: unknown;
            }[];
            instructions: string;
            model: string;
            parallel_tool_calls?: boolean;
            prompt_cache_key?: string | null;
            reasoning?: ({
                effort?: string;
                summary?: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
            store?: false | null;
            stream?: boolean;
            text?: ({
                format?: {
                    [key: string]: unknown;
                };
                verbosity?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            tool_choice?: string | {
                [key: string]: unknown;
            };
            tools?: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        Team: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @description Number of API keys in it */
            keys: number;
            last_used_at: string | null;
            /** @description What all its keys together may use */
            limits: components["schemas"]["LimitRule"][];
            name: string;
        };
        TeamMember: {
            keys: {
                /** Format: uuid */
                id: string;
                is_active: boolean;
                name: string;
            }[];
            /** @description The name of the operator whose id the owner is */
            name: string | null;
            /** @description An operator's id or a free text; null: the keys without an owner */
            owner: string | null;
        };
        Transcript: {
            text: string;
        } & {
            [key: string]: unknown;
        };
        UsageFigures: {
            cached_input_tokens: number;
            cost_usd: number;
            /** @description Requests whose status is not 200 */
            errors: number;
            first_byte_ms: {
                p50: number;
                p95: number;
                p99: number;
            } | null;
            input_tokens: number;
            latency_ms: {
                p50: number;
                p95: number;
                p99: number;
            } | null;
            output_tokens: number;
            reasoning_tokens: number;
            requests: number;
            /** @description Output tokens by the time from the first byte to the end */
            tokens_per_second: number | null;
        };
        UsageSums: {
            cached_input_tokens: number;
            cost_usd: number;
            /** @description Requests whose status is not 200 */
            errors: number;
            input_tokens: number;
            output_tokens: number;
            reasoning_tokens: number;
            requests: number;
            /** @description Output tokens by the time from the first byte to the end */
            tokens_per_second: number | null;
        };
        UsageWindow: {
            capacity_credits: number;
            remaining_credits: number;
            remaining_percent: number;
            reset_at: string | null;
            window_minutes: number;
        };
        Webhook: {
            /** Format: date-time */
            added_at: string;
            /** @description When it last took a notification of an alert */
            delivered_at: string | null;
            failing_since: string | null;
            /** @description Why it does not take notifications */
            failure: string | null;
            /** @enum {string} */
            format: "json" | "slack";
            id: string;
            name: string;
            /** @description Scheme, host and port of its URL */
            origin: string;
            rules: ("account_lost" | "pool_low" | "limit_80" | "limit_100" | "error_rate" | "store_away" | "outbox_filling" | "integrity_finding")[];
        };
        WebhookWithSecret: {
            /** Format: date-time */
            added_at: string;
            /** @description When it last took a notification of an alert */
            delivered_at: string | null;
            failing_since: string | null;
            /** @description Why it does not take notifications */
            failure: string | null;
            /** @enum {string} */
            format: "json" | "slack";
            id: string;
            name: string;
            /** @description Scheme, host and port of its URL */
            origin: string;
            rules: ("account_lost" | "pool_low" | "limit_80" | "limit_100" | "error_rate" | "store_away" | "outbox_filling" | "integrity_finding")[];
            /** @description Verifies notifications (Standard Webhooks). Returned once; absent when the request repeats an Idempotency-Key */
            secret?: string;
        };
        WhatIfReport: {
            accounts: {
                account_id: string;
                /** @enum {string} */
                change: "none" | "removed" | "added";
                cost_usd: {
                    recorded: number;
                    simulated: number;
                };
                plan_type: string;
                /** @description Highest percent used of the primary window */
                primary_percent: {
                    recorded: number | null;
                    simulated: number | null;
                };
                requests: {
                    recorded: number;
                    simulated: number;
                };
                secondary_percent: {
                    recorded: number | null;
                    simulated: number | null;
                };
                tokens: {
                    recorded: number;
                    simulated: number;
                };
            }[];
            changes: {
                /** @description Ids of the keys with other limits; * stands for all others */
                limits: string[];
                plus_accounts: {
                    account_id: string;
                    plan_type: string;
                }[];
                prefer_earlier_reset_accounts: boolean | null;
                /** @description Version of the price table */
                prices: string | null;
                routing_strategy: string | null;
                sticky_threads_enabled: boolean | null;
                without_accounts: string[];
            };
            cost_usd: {
                recorded: number;
                simulated: number;
            };
            costs: {
                api_key_id: string | null;
                api_key_name: string | null;
                cost_usd: {
                    recorded: number;
                    simulated: number;
                };
                model: string;
                requests: {
                    recorded: number;
                    simulated: number;
                };
                tokens: {
                    recorded: number;
                    simulated: number;
                };
            }[];
            /** @description The first 200 */
            different_requests: {
                position: number;
                recorded: components["schemas"]["ReplayedEnd"];
                request_id: string;
                /** Format: date-time */
                requested_at: string;
                simulated: components["schemas"]["ReplayedEnd"];
            }[];
            limits: {
                level: string;
                limit_type: string;
                limit_window: string;
                max_value: {
                    recorded: number | null;
                    simulated: number | null;
                };
                model_filter: string | null;
                /** @description In the fullest window, in the unit of max_value */
                most_used: {
                    recorded: number;
                    simulated: number;
                };
                rule_id: number;
                subject: string;
                /** @description Number of windows in which something was used */
                windows: {
                    recorded: number;
                    simulated: number;
                };
            }[];
            /** @description What the simulation cannot know, and what it assumes instead */
            not_known: {
                code: string;
                requests: number | null;
                text: string;
            }[];
            outcomes: {
                failed: {
                    recorded: number;
                    simulated: number;
                };
                refused: {
                    recorded: number;
                    simulated: number;
                };
                served: {
                    recorded: number;
                    simulated: number;
                };
            };
            refusals: {
                level: string | null;
                reason: string;
                requests: {
                    recorded: number;
                    simulated: number;
                };
                /** @description The rule in words */
                rule: string | null;
                rule_id: number | null;
                subject: string | null;
            }[];
            requests: {
                /** @description Requests that were decided again */
                compared: number;
                different: number;
                not_simulated: number;
                /** @description Those with the same outcome, account and reason */
                same: number;
            };
            series: {
                bucket_seconds: number;
                points: {
                    /** Format: date-time */
                    at: string;
                    cost_usd: {
                        recorded: number;
                        simulated: number;
                    };
                    failed: {
                        recorded: number;
                        simulated: number;
                    };
                    refused: {
                        recorded: number;
                        simulated: number;
                    };
                    served: {
                        recorded: number;
                        simulated: number;
                    };
                }[];
            };
            tokens: {
                recorded: number;
                simulated: number;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAccounts: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: components["schemas"]["Account"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteAccountsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Legal holds that keep its data key, which is destroyed when the last of them ends; empty: it is destroyed */
                        held_by: string[];
                        /** @constant */
                        status: "deleted";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description account_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    patchAccountsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Address of a proxy for all calls of this account: http, https or socks5, with its user name and password if it needs them. Null removes it. Responses show host and port only */
                    proxy?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description account_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postAccountsIdPause: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "paused";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description account_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postAccountsIdReactivate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "reactivated";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description account_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getAccountsIdTrends: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account_id: string;
                        primary: {
                            /** Format: date-time */
                            t: string;
                            v: number;
                        }[];
                        secondary: {
                            /** Format: date-time */
                            t: string;
                            v: number;
                        }[];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description account_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postAccountsImport: {
        parameters: {
            query?: {
                on_duplicate?: "replace" | "skip" | "refuse";
            };
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    auth_json: string;
                    /** @description Address of a proxy for all calls of this account; without it a known account keeps its own */
                    proxy?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedAccount"];
                };
            };
            /** @description invalid_auth_json, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description duplicate_identity_conflict, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getAccountsTrends: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description Start of the first hour
                         */
                        since: string;
                        trends: components["schemas"]["AccountTrend"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getAlerts: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        alerts: components["schemas"]["Alert"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getAlertsWebhooks: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postAlertsWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description slack: for an incoming webhook of Slack
                     * @default json
                     * @enum {string}
                     */
                    format?: "json" | "slack";
                    name: string;
                    /**
                     * @description Empty: all
                     * @default []
                     */
                    rules?: ("account_lost" | "pool_low" | "limit_80" | "limit_100" | "error_rate" | "store_away" | "outbox_filling" | "integrity_finding")[];
                    /** @description http or https; not shown again, because such URLs are secrets */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description invalid_webhook, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteAlertsWebhooksId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "removed";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description webhook_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postAlertsWebhooksIdTest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        problem: string | null;
                        /** @description What it responded with, if it took the notification */
                        status: number | null;
                        taken: boolean;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description webhook_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getApiKeys: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postApiKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    allowed_models?: string[] | null;
                    expires_at?: string | null;
                    /** @constant */
                    is_active?: true;
                    limits?: {
                        /** @enum {string} */
                        limit_type: "total_tokens" | "input_tokens" | "output_tokens" | "cost_usd";
                        /** @enum {string} */
                        limit_window: "daily" | "weekly" | "monthly";
                        max_value: number;
                        model_filter?: string | null;
                        /**
                         * @description What happens to a stream that runs past the limit. Absent: an existing limit keeps its value, a new one has `finish`
                         * @enum {string}
                         */
                        on_exceeded?: "finish" | "stop";
                    }[] | null;
                    name: string;
                    /** @description To whom the key belongs: an operator's id or a free text; null: none */
                    owner?: string | null;
                    /** @description Where its requests may be served, as accounts name it, for example `eu`; null or empty: in every region */
                    regions?: string[] | null;
                    /** @description The id of its team; null: none */
                    team?: string | null;
                    weekly_token_limit?: number | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithValue"];
                };
            };
            /** @description invalid_api_key_payload, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteApiKeysId: {
        parameters: {
            query?: {
                forget_callers?: "true" | "false";
            };
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success without content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description callers_held, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    patchApiKeysId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    allowed_models?: string[] | null;
                    expires_at?: string | null;
                    is_active?: boolean;
                    limits?: {
                        /** @enum {string} */
                        limit_type: "total_tokens" | "input_tokens" | "output_tokens" | "cost_usd";
                        /** @enum {string} */
                        limit_window: "daily" | "weekly" | "monthly";
                        max_value: number;
                        model_filter?: string | null;
                        /**
                         * @description What happens to a stream that runs past the limit. Absent: an existing limit keeps its value, a new one has `finish`
                         * @enum {string}
                         */
                        on_exceeded?: "finish" | "stop";
                    }[] | null;
                    name?: string;
                    /** @description To whom the key belongs: an operator's id or a free text; null: none */
                    owner?: string | null;
                    /** @description Where its requests may be served, as accounts name it, for example `eu`; null or empty: in every region */
                    regions?: string[] | null;
                    reset_usage?: boolean;
                    /** @description The id of its team; null: none */
                    team?: string | null;
                    weekly_token_limit?: number | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description invalid_api_key_payload, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postApiKeysIdRegenerate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithValue"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getArchives: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveEntry"][];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postArchives: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Instead: full UTC days that stay */
                    days?: number;
                    /** @description The last UTC day to archive, for example 2026-11-01 */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_running, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description shutting_down, log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postArchivesDayRestore: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                day: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_running, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description shutting_down, log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getBlameSubject: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                subject: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Blame"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getCallersDeletedKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_keys: components["schemas"]["DeletedKeyOfCallers"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postCallersForget: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Ids of deleted API keys, instead of `until`. Existing keys are deleted with `forget_callers=true` */
                    api_keys?: string[] | null;
                    /** @description The last month of UTC to forget, `2026-10`, which must be over */
                    until?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Ids of those that were forgotten by this */
                        api_keys: string[];
                        /** @description Those that were forgotten by this */
                        months: string[];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description callers_held, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getCallersMonths: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        months: components["schemas"]["MonthOfCallers"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getClock: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clock"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postClockAccept: {
        parameters: {
            query?: {
                force?: "true" | "false";
            };
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clock"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description clock_differs, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows # in the invitation link */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description validation_error, invalid_invitation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthInvitationAccept: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Instead of a password */
                    passkey?: {
                        /** @description As the start of this ceremony returned it */
                        challengeToken: string;
                        credential: components["schemas"]["NewPasskeyCredential"];
                        /** @description For example "Work laptop" */
                        name: string;
                    } | null;
                    password?: string | null;
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSession"];
                };
            };
            /** @description validation_error, invalid_invitation, passkey_challenge_expired, invalid_passkey */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description local_sign_in_disabled, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkeys_unavailable, passkey_exists, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthInvitationPasskeyStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRegistrationStart"];
                };
            };
            /** @description validation_error, invalid_invitation */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description local_sign_in_disabled, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkeys_unavailable, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Name or e-mail address */
                    login: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSession"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description invalid_credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description local_sign_in_disabled, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthLogout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getDashboardAuthOidcCallback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address of the next page is in Location */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getDashboardAuthOidcStart: {
        parameters: {
            query?: {
                next?: string;
                reauthenticate?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address of the next page is in Location */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getDashboardAuthPasskeys: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        passkeys: components["schemas"]["Passkey"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As the start of this ceremony returned it */
                    challengeToken: string;
                    credential: components["schemas"]["NewPasskeyCredential"];
                    /** @description For example "Work laptop" */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            /** @description validation_error, passkey_challenge_expired, invalid_passkey */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkeys_unavailable, passkey_exists, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteDashboardAuthPasskeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkey_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description last_sign_in_method, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    patchDashboardAuthPasskeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For example "Work laptop" */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkey_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthPasskeysReauthenticationStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyAssertionStart"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkey_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkeys_unavailable, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthPasskeysRegistrationStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRegistrationStart"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkeys_unavailable, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getDashboardAuthPasskeysRelyingParty: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRelyingParty"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthPasskeysSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As the start of this ceremony returned it */
                    challengeToken: string;
                    credential: components["schemas"]["PasskeyAssertion"];
                    /** @description Name or e-mail address; the passkey must be theirs */
                    login?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSession"];
                };
            };
            /** @description validation_error, passkey_challenge_expired */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkey_rejected, passkey_counter_regressed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description local_sign_in_disabled, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkeys_unavailable, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthPasskeysSignInStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyAssertionStart"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkeys_unavailable, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteDashboardAuthPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description validation_error, password_not_configured */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description invalid_credentials, authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthPasswordChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currentPassword: string;
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description validation_error, password_not_configured */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description invalid_credentials, authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthPasswordLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSession"];
                };
            };
            /** @description validation_error, password_not_configured */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, invalid_credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthPasswordSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                    setup_token?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSession"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, invalid_credentials */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description password_already_configured, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthReauthenticate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Of the authenticator app, where TOTP is set up and required */
                    code?: string | null;
                    /** @description Instead of password and code */
                    passkey?: {
                        /** @description As the start of this ceremony returned it */
                        challengeToken: string;
                        credential: components["schemas"]["PasskeyAssertion"];
                    } | null;
                    password?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description validation_error, totp_invalid_code, passkey_challenge_expired */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description invalid_credentials, passkey_rejected, passkey_counter_regressed, authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description passkeys_unavailable, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        recoveryCodes: string[];
                    };
                };
            };
            /** @description totp_not_configured, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthRecoveryVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSession"];
                };
            };
            /** @description validation_error, totp_not_configured, totp_invalid_code */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getDashboardAuthSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSession"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthTotpDisable: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description password_not_configured, totp_not_configured, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthTotpSetupConfirm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    setupToken: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Of an operator; each replaces one code, and none is shown again */
                        recoveryCodes?: string[];
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description validation_error, password_not_configured, totp_invalid_code */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description totp_already_configured, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthTotpSetupStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        qrCodeDataUrl: string;
                        secret: string;
                        setupToken: string;
                    };
                };
            };
            /** @description password_not_configured, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description totp_already_configured, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postDashboardAuthTotpVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardSession"];
                };
            };
            /** @description validation_error, password_not_configured, totp_not_configured, totp_invalid_code */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getDashboardOverview: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountCounts: {
                            active: number;
                            deactivated: number;
                            paused: number;
                            quotaExceeded: number;
                            rateLimited: number;
                            total: number;
                        };
                        errorRate: number;
                        requestCount: number;
                        /** @description Interval at which usage is polled from the provider */
                        usage_refresh_seconds: number;
                        usageSummary: {
                            inputTokens: number;
                            outputTokens: number;
                            totalCost: number;
                            totalTokens: number;
                        };
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getDashboardTrends: {
        parameters: {
            query?: {
                at?: string;
                hours?: number;
                step_minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Most frequent first */
                        errors: {
                            code: string;
                            requests: number;
                        }[];
                        points: {
                            cached_input_tokens: number;
                            cost_usd: number;
                            errors: number;
                            input_tokens: number;
                            mean_latency_ms: number | null;
                            output_tokens: number;
                            requests: number;
                            /** Format: date-time */
                            t: string;
                        }[];
                        /** Format: date-time */
                        since: string;
                        step_minutes: number;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postEvidence: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description As in the history */
                    actors?: string[];
                    /** @description Adds what the state at the beginning of the period depends on: all earlier events but those of requests */
                    incident?: boolean;
                    /** @description Request ids: events that they caused or that mention them */
                    requests?: string[];
                    /** @description Part of the sentence; successful requests are not searched */
                    search?: string;
                    /** Format: date-time */
                    since?: string;
                    /** @description As in the history, e.g. apiKey-<id> */
                    subjects?: string[];
                    types?: string[];
                    /** Format: date-time */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_running, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description proof_unavailable, shutting_down, log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getEvidenceId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description evidence_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getFirewallIps: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Firewall"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postFirewallIps: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ip_address: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallEntry"];
                };
            };
            /** @description invalid_ip, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description ip_exists, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteFirewallIpsIp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                ip: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "deleted";
                    };
                };
            };
            /** @description invalid_ip, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description ip_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getHistory: {
        parameters: {
            query?: {
                actor?: string[];
                after?: number;
                at?: string;
                cursor?: string;
                limit?: number;
                search?: string;
                since?: string;
                subject?: string[];
                type?: string[];
                until?: string;
                with_position?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description UTC days in the time range whose requests are archived, with the archive file; they have no rows */
                        archived?: {
                            day: string;
                            events: number;
                            file: string;
                        }[];
                        events: components["schemas"]["HistoryEntry"][];
                        next_cursor: string | null;
                        /** @description With `after` or `with_position`: position of the log up to which the answer is complete, for the next call */
                        position?: number;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getHistoryPosition: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                position: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryEvent"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getHolds: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        holds: components["schemas"]["Hold"][];
                        /** @description Accounts that are deleted and whose data keys exist until the last hold on them ends */
                        retained_accounts: string[];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postHolds: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description ISO 8601: only events since then; null: from the first one on
                     * @default null
                     */
                    from?: string | null;
                    /** @description Why, for the log */
                    reason: string;
                    /**
                     * @description apiKey-<id>, account-<id> or request-<id>; null: every subject
                     * @default null
                     */
                    subject?: string | null;
                    /**
                     * @description ISO 8601: only events before then; null: also all later ones
                     * @default null
                     */
                    until?: string | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            /** @description invalid_hold, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteHoldsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why, for the log */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Deleted accounts whose data keys it kept, and which are destroyed now */
                        released_accounts: string[];
                        /** @constant */
                        status: "lifted";
                    };
                };
            };
            /** @description invalid_hold, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description hold_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getIntegrity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integrity"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description proof_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postIntegrityVerify: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Position of the first event; default: the first one of the log */
                    from?: number;
                    /** @description Position of the last event; default: the last one of the log */
                    to?: number;
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_running, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description shutting_down, log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        jobs: components["schemas"]["Job"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getJobsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteJobsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LiveEvent"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description too_many_live_streams, rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getLogCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description checkpoint_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getLogTilePath: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description tile_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description proof_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getModels: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        models: {
                            id: string;
                            name: string;
                        }[];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postOauthCancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    flowId?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthStatus"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description oauth_flow_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postOauthComplete: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    deviceAuthId?: string;
                    flowId?: string;
                    userCode?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthStatus"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description oauth_flow_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postOauthManualCallback: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    callbackUrl: string;
                    flowId?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthStatus"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description oauth_flow_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postOauthStart: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    accountId?: string;
                    /** @enum {string} */
                    forceMethod?: "browser" | "device";
                    /** @enum {string} */
                    on_duplicate?: "refuse" | "skip" | "replace";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthStart"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description account_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description device_auth_unavailable, device_auth_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getOauthStatus: {
        parameters: {
            query?: {
                flowId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OAuthStatus"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description oauth_flow_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        openapi: "3.1.0";
                        paths: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getOperators: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        operators: components["schemas"]["Operator"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postOperators: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    name: string;
                    /** @enum {string} */
                    role: "administrator" | "operator" | "auditor" | "member";
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedOperator"];
                };
            };
            /** @description invalid_operator, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_exists, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getOperatorsId: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteOperatorsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "removed";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description last_administrator, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    patchOperatorsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email?: string | null;
                    /** @description false: sessions end and tokens are refused, until true */
                    is_active?: boolean | null;
                    name?: string | null;
                    role?: ("administrator" | "operator" | "auditor" | "member") | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            /** @description invalid_operator, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_exists, last_administrator, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postOperatorsIdForget: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "forgotten";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_held, last_administrator, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postOperatorsIdInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedOperator"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteOperatorsIdPasskeysPasskeyId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_not_found, passkey_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description last_sign_in_method, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteOperatorsIdTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operator"];
                };
            };
            /** @description totp_not_configured, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description operator_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getOwners: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"][];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getOwnersOwner: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                owner: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
            /** @description invalid_owner, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description owner_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    patchOwnersOwner: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                owner: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    limits?: {
                        /** @enum {string} */
                        limit_type: "total_tokens" | "input_tokens" | "output_tokens" | "cost_usd";
                        /** @enum {string} */
                        limit_window: "daily" | "weekly" | "monthly";
                        max_value: number;
                        model_filter?: string | null;
                        /**
                         * @description What happens to a stream that runs past the limit. Absent: an existing limit keeps its value, a new one has `finish`
                         * @enum {string}
                         */
                        on_exceeded?: "finish" | "stop";
                    }[] | null;
                    reset_usage?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
            /** @description invalid_owner, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getOwnersOwnerRequests: {
        parameters: {
            query?: {
                at?: string;
                cursor?: string;
                limit?: number;
                since?: string;
                until?: string;
            };
            header?: never;
            path: {
                owner: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description UTC days in the time range whose requests are archived, with the archive file; they have no rows */
                        archived?: {
                            day: string;
                            events: number;
                            file: string;
                        }[];
                        next_cursor: string | null;
                        requests: components["schemas"]["RequestLogEntry"][];
                    };
                };
            };
            /** @description invalid_owner, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description owner_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getProfile: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getReceiptsRequestIdOrPosition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                requestIdOrPosition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description invalid_api_key, authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description ip_forbidden, insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description receipt_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description proof_unavailable, read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getReplays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        replays: components["schemas"]["Job"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postReplays: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Only requests that were made then or later */
                    since?: string | null;
                    /** @description Only requests that were made until then, inclusive */
                    until?: string | null;
                    /** @description Absent: only repeat what was decided */
                    what_if?: {
                        limits?: {
                            /** @description Limits as of `PATCH /api/api-keys/{id}`, by the id of their key; `*` stands for every other key */
                            keys: {
                                [key: string]: {
                                    /** @enum {string} */
                                    limit_type: "total_tokens" | "input_tokens" | "output_tokens" | "cost_usd";
                                    /** @enum {string} */
                                    limit_window: "daily" | "weekly" | "monthly";
                                    max_value: number;
                                    model_filter?: string | null;
                                    /**
                                     * @description What happens to a stream that runs past the limit. Absent: an existing limit keeps its value, a new one has `finish`
                                     * @enum {string}
                                     */
                                    on_exceeded?: "finish" | "stop";
                                }[];
                            };
                        };
                        /** @description Accounts that join the pool */
                        plus_accounts?: {
                            plan_type: string;
                            primary?: {
                                /** @description Size of the window, as in the table of plan credits; default: that of the plan */
                                credits?: number;
                                /** @description When the period begins; default 0 */
                                used_percent?: number;
                                /** @description Default: 1440, and 10080 of the secondary */
                                window_minutes?: number;
                            };
                            secondary?: {
                                /** @description Size of the window, as in the table of plan credits; default: that of the plan */
                                credits?: number;
                                /** @description When the period begins; default 0 */
                                used_percent?: number;
                                /** @description Default: 1440, and 10080 of the secondary */
                                window_minutes?: number;
                            };
                        }[];
                        /** @description Prices as in `SVC_PRICES_FILE` */
                        prices?: {
                            models: {
                                cachedInput?: number;
                                input: number;
                                longContext?: {
                                    aboveInputTokens: number;
                                    inputFactor: number;
                                    outputFactor: number;
                                };
                                model: string;
                                output: number;
                                reasoningMultiplier?: number;
                                tiers?: {
                                    [key: string]: number;
                                };
                            }[];
                            /** Format: date */
                            since: string;
                        };
                        /** @description Settings as of `PUT /api/settings`; absent ones stay as recorded */
                        settings?: {
                            api_key_auth_enabled?: boolean | null;
                            import_without_overwrite?: boolean | null;
                            prefer_earlier_reset_accounts?: boolean;
                            routing_strategy?: ("usage_weighted" | "round_robin") | null;
                            sticky_threads_enabled?: boolean;
                            totp_required_on_login?: boolean | null;
                        };
                        /**
                         * @description How an account is chosen; wins over `settings`
                         * @enum {string}
                         */
                        strategy?: "usage_weighted" | "round_robin";
                        /** @description Ids of accounts */
                        without_accounts?: string[];
                    } | null;
                };
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_running, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description shutting_down, log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getReplaysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteReplaysId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getReplaysIdCsv: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description job_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getRequestLogs: {
        parameters: {
            query?: {
                accountId?: string[];
                address?: string[];
                after?: number;
                apiKeyId?: string[];
                at?: string;
                attemptedAccountId?: string[];
                client?: string[];
                conversation?: string[];
                errorCode?: string[];
                limit?: number;
                model?: string[];
                modelOption?: string[];
                offset?: number;
                owner?: string[];
                reasoningEffort?: string[];
                search?: string;
                since?: string;
                sort?: "-requested_at" | "requested_at" | "-latency_ms" | "latency_ms" | "-first_byte_ms" | "first_byte_ms" | "-cost_usd" | "cost_usd" | "-tokens" | "tokens";
                status?: string[];
                team?: string[];
                transport?: string[];
                until?: string;
                with_position?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description UTC days in the time range whose requests are archived, with the archive file; they have no rows */
                        archived?: {
                            day: string;
                            events: number;
                            file: string;
                        }[];
                        has_more: boolean;
                        /** @description With `after` or `with_position`: position of the log up to which the answer is complete, for the next call */
                        position?: number;
                        requests: components["schemas"]["RequestLogEntry"][];
                        total: number;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description account_not_found, owner_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postRequestLogsExports: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    accountId?: string[];
                    attemptedAccountId?: string[];
                    /** @enum {string} */
                    format: "csv" | "json";
                    model?: string[];
                    /** @description <model>:::<reasoning_effort> */
                    modelOption?: string[];
                    /** @description An empty text selects requests without an effort */
                    reasoningEffort?: string[];
                    search?: string;
                    /** Format: date-time */
                    since?: string;
                    status?: string[];
                    /** Format: date-time */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of requests that the filter matches now */
                        matching: number;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable, log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getRequestLogsOptions: {
        parameters: {
            query?: {
                accountId?: string[];
                address?: string[];
                apiKeyId?: string[];
                at?: string;
                attemptedAccountId?: string[];
                client?: string[];
                conversation?: string[];
                errorCode?: string[];
                model?: string[];
                modelOption?: string[];
                owner?: string[];
                reasoningEffort?: string[];
                since?: string;
                status?: string[];
                team?: string[];
                transport?: string[];
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account_ids: string[];
                        api_key_ids: string[];
                        attempted_account_ids: string[];
                        /** @description Number of requests per value */
                        counts: {
                            account_ids: {
                                [key: string]: number;
                            };
                            api_key_ids: {
                                [key: string]: number;
                            };
                            /** @description A request with attempts on several accounts is counted for each */
                            attempted_account_ids: {
                                [key: string]: number;
                            };
                            error_codes: {
                                [key: string]: number;
                            };
                            /** @description In the order of model_options */
                            model_options: number[];
                            owners: {
                                [key: string]: number;
                            };
                            statuses: {
                                [key: string]: number;
                            };
                            teams: {
                                [key: string]: number;
                            };
                        };
                        error_codes: string[];
                        model_options: {
                            model: string;
                            reasoning_effort: string | null;
                        }[];
                        owners: string[];
                        statuses: string[];
                        teams: string[];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description account_not_found, owner_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getRequestsIdExplain: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description request_not_found, request_imported */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable, proof_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getSessions: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["Session"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        /** @constant */
                        status: "ended";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteSessionsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ended";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description session_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description unauthorized, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    putSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    api_key_auth_enabled?: boolean | null;
                    import_without_overwrite?: boolean | null;
                    prefer_earlier_reset_accounts: boolean;
                    routing_strategy?: ("usage_weighted" | "round_robin") | null;
                    sticky_threads_enabled: boolean;
                    totp_required_on_login?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            /** @description validation_error, invalid_totp_config */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description unauthorized, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getSvcUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolUsage"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getTeams: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"][];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postTeams: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    limits?: {
                        /** @enum {string} */
                        limit_type: "total_tokens" | "input_tokens" | "output_tokens" | "cost_usd";
                        /** @enum {string} */
                        limit_window: "daily" | "weekly" | "monthly";
                        max_value: number;
                        model_filter?: string | null;
                        /**
                         * @description What happens to a stream that runs past the limit. Absent: an existing limit keeps its value, a new one has `finish`
                         * @enum {string}
                         */
                        on_exceeded?: "finish" | "stop";
                    }[] | null;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description invalid_team, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getTeamsId: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description team_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteTeamsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success without content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description team_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description team_not_empty, conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    patchTeamsId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    limits?: {
                        /** @enum {string} */
                        limit_type: "total_tokens" | "input_tokens" | "output_tokens" | "cost_usd";
                        /** @enum {string} */
                        limit_window: "daily" | "weekly" | "monthly";
                        max_value: number;
                        model_filter?: string | null;
                        /**
                         * @description What happens to a stream that runs past the limit. Absent: an existing limit keeps its value, a new one has `finish`
                         * @enum {string}
                         */
                        on_exceeded?: "finish" | "stop";
                    }[] | null;
                    name?: string;
                    reset_usage?: boolean;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description invalid_team, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description team_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getTeamsIdMembers: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        members: components["schemas"]["TeamMember"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description team_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getTokens: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tokens: components["schemas"]["ManagementToken"][];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    postTokens: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description ISO 8601; null: it does not expire */
                    expires_at?: string | null;
                    name: string;
                    /**
                     * @description Not above the own one. The token acts with this role and that of its owner
                     * @enum {string}
                     */
                    role: "administrator" | "operator" | "auditor" | "member";
                    /** @description `irreversible`: for what sessions must sign in again for. By default only tokens of administrators have it */
                    scopes?: "irreversible"[] | null;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementTokenWithValue"];
                };
            };
            /** @description invalid_token, validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required, reauthentication_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, scope_required, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getTokensId: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementToken"];
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description token_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    deleteTokensId: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeated request with the same key changes nothing and returns the current state without secrets. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "revoked";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions, cross_origin */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description token_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description change_refused, idempotency_key_reused */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description log_unavailable, sink_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getUsageBreakdown: {
        parameters: {
            query?: {
                accountId?: string[];
                address?: string[];
                apiKeyId?: string[];
                at?: string;
                attemptedAccountId?: string[];
                client?: string[];
                conversation?: string[];
                errorCode?: string[];
                group_by?: "key" | "owner" | "team" | "account" | "model" | "effort" | "status" | "error" | "client" | "transport";
                interval?: "hour" | "day" | "month";
                model?: string[];
                modelOption?: string[];
                owner?: string[];
                reasoningEffort?: string[];
                since?: string;
                status?: string[];
                team?: string[];
                time_zone?: string;
                transport?: string[];
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description UTC days in the time range whose requests are archived, with the archive file; they have no rows */
                        archived?: {
                            day: string;
                            events: number;
                            file: string;
                        }[];
                        /** @enum {string} */
                        group_by: "key" | "owner" | "team" | "account" | "model" | "effort" | "status" | "error" | "client" | "transport";
                        /** @description Most requests first, at most 1,000; all further ones are the last one, `other` */
                        groups: {
                            cached_input_tokens: number;
                            cost_usd: number;
                            /** @description Requests whose status is not 200 */
                            errors: number;
                            first_byte_ms: {
                                p50: number;
                                p95: number;
                                p99: number;
                            } | null;
                            id: string | null;
                            input_tokens: number;
                            label: string;
                            latency_ms: {
                                p50: number;
                                p95: number;
                                p99: number;
                            } | null;
                            output_tokens: number;
                            reasoning_tokens: number;
                            requests: number;
                            /** @description Output tokens by the time from the first byte to the end */
                            tokens_per_second: number | null;
                        }[];
                        /** @enum {string} */
                        interval: "hour" | "day" | "month";
                        /** @description Position of the log up to which all requests are counted */
                        position: number;
                        series: {
                            /** Format: date-time */
                            at: string;
                            /** @description By id; that of the group without one is empty. The largest groups, as many as all steps together have 100,000 of; all others are `other` */
                            groups: {
                                [key: string]: components["schemas"]["UsageSums"];
                            };
                            total: components["schemas"]["UsageFigures"];
                        }[];
                        /** Format: date-time */
                        since: string;
                        time_zone: string;
                        total: components["schemas"]["UsageFigures"];
                        /** Format: date-time */
                        until: string;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getUsageHistory: {
        parameters: {
            query?: {
                at?: string;
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: components["schemas"]["AccountUsageHistory"][];
                        window_hours: number;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getUsageSummary: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        cost: {
                            /** @constant */
                            currency: "USD";
                            totalUsd7d: number;
                        };
                        metrics: {
                            cached_tokens_secondary_window: number;
                            errorRate7d: number;
                            requests7d: number;
                            tokens_secondary_window: number;
                            top_error: string | null;
                        };
                        primary_window: components["schemas"]["UsageWindow"];
                        secondary_window: components["schemas"]["UsageWindow"];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getUsageTrends: {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        primary: {
                            /** Format: date-time */
                            t: string;
                            v: number;
                        }[];
                        secondary: {
                            /** Format: date-time */
                            t: string;
                            v: number;
                        }[];
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description read_models_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getUsageWindow: {
        parameters: {
            query?: {
                at?: string;
                window?: "primary" | "secondary";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: components["schemas"]["AccountUsage"][];
                        window_key: string;
                        window_minutes: number;
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description archived */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getBackendApiSvcModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Models"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    postBackendApiSvcResponses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SvcResponsesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ResponseStreamEvent"];
                };
            };
            /** @description invalid_request_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description model_not_allowed, ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description request_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upgrade_required */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upstream_error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description no_accounts, no_account_in_region, shutting_down, outbox_full, sink_unavailable, overloaded, out_of_file_descriptors, log_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    postBackendApiSvcResponsesCompact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SvcResponsesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compaction"];
                };
            };
            /** @description invalid_request_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description model_not_allowed, ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description request_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upgrade_required */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description not_implemented */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upstream_error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description no_accounts, no_account_in_region, shutting_down, outbox_full, sink_unavailable, overloaded, out_of_file_descriptors, log_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getBackendApiSvcWhamAccountsCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodexWorkspaces"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getBackendApiSvcWhamConfigBundle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodexPolicies"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getBackendApiSvcWhamConfigRequirements: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodexPolicies"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getBackendApiSvcWhamUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolUsage"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    postBackendApiTranscribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                    language?: string;
                    prompt?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
            /** @description invalid_request_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description model_not_allowed, ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description request_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description validation_error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upgrade_required */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upstream_error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description no_accounts, no_account_in_region, shutting_down, outbox_full, sink_unavailable, overloaded, out_of_file_descriptors, log_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getBackendApiWhamAccountsCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodexWorkspaces"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getBackendApiWhamConfigBundle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodexPolicies"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getBackendApiWhamConfigRequirements: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodexPolicies"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description authentication_required, totp_required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description insufficient_permissions */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ready";
                    };
                };
            };
            /** @description validation_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagementError"];
                };
            };
            /** @description See the reasons */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotReady"];
                };
            };
        };
    };
    postV1AudioTranscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                    language?: string;
                    /** @constant */
                    model: "gpt-4o-transcribe";
                    prompt?: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
            /** @description invalid_request_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description model_not_allowed, ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description request_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description validation_error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upgrade_required */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upstream_error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description no_accounts, no_account_in_region, shutting_down, outbox_full, sink_unavailable, overloaded, out_of_file_descriptors, log_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    postV1ChatCompletions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatCompletion"];
                    "text/event-stream": components["schemas"]["ChatCompletionChunk"];
                };
            };
            /** @description invalid_request_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description model_not_allowed, ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description request_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upgrade_required */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upstream_error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description no_accounts, no_account_in_region, shutting_down, outbox_full, sink_unavailable, overloaded, out_of_file_descriptors, log_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getV1Models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Models"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    getV1ModelsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description model_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    postV1Responses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResponsesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Response"];
                    "text/event-stream": components["schemas"]["ResponseStreamEvent"];
                };
            };
            /** @description invalid_request_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description model_not_allowed, ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description request_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upgrade_required */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upstream_error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description no_accounts, no_account_in_region, shutting_down, outbox_full, sink_unavailable, overloaded, out_of_file_descriptors, log_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
    postV1ResponsesCompact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResponsesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compaction"];
                };
            };
            /** @description invalid_request_error */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description invalid_api_key */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description model_not_allowed, ip_forbidden, remote_access_disabled */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description request_too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upgrade_required */
            426: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description internal_error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description not_implemented */
            501: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description upstream_error */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
            /** @description no_accounts, no_account_in_region, shutting_down, outbox_full, sink_unavailable, overloaded, out_of_file_descriptors, log_unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProxyError"];
                };
            };
        };
    };
}
