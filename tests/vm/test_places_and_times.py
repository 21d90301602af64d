"""The same node in another subnet, and with a clock that is wrong: it comes back Ready."""

import datetime
import time

import pytest

from conftest import SINGLE, boot_to_ready, fresh
from ntp_server import NtpServer

pytestmark = pytest.mark.long


def test_after_a_move_to_another_subnet_the_node_is_ready_again():
    with fresh("moved") as machine:
        cluster = boot_to_ready(machine)
        name = cluster.node_ready()
        cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept", "namespace": "default"}, "data": {"k": "v"}})
        machine.power_button(60)
        machine.subnet = "10.77.3.0/24"
        cluster = boot_to_ready(machine)
        assert cluster.until("the same node Ready", cluster.node_ready, 120) == name
        assert cluster.get("configmap", "kept")["data"] == {"k": "v"}

        def moved():
            addresses = [a["address"] for a in cluster.get("nodes")["items"][0]["status"]["addresses"]]
            print(addresses)
            return any(address.startswith("10.77.3.") for address in addresses)
        cluster.until("the node's new address", moved, 60)


def test_with_a_clock_of_1970_and_no_time_server_the_node_is_ready():
    with fresh("rtc-1970", rtc="1970-01-01T00:00:00") as machine:
        assert boot_to_ready(machine).node_ready()


def test_with_a_clock_of_2099_the_node_is_ready_once_a_time_server_answers():
    seed = SINGLE + "\nntp: {servers: [10.0.2.2]}\n"
    with NtpServer() as server, fresh("rtc-2099", rtc="2099-01-01T00:00:00", user_data=seed) as machine:
        cluster = boot_to_ready(machine)
        assert server.answered
        made = cluster.get("nodes")["items"][0]["metadata"]["creationTimestamp"]
        when = datetime.datetime.strptime(made, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
        assert abs(when - time.time()) < 3600, made
